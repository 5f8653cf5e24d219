<?php

// Path and how long it takes, in microseconds.
return [
    '/' => 4000,
];
