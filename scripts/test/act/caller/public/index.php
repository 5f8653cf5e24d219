<?php

$known = require __DIR__ . '/../routes.php';
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (!isset($known[$path])) {
    http_response_code(404);
    exit;
}
usleep($known[$path]);
echo 'ok';
