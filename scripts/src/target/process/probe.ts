import type { PhpSettings, PhpState } from "../../core/model.ts";

/** Asked of the running FPM: what an ini file says and what runs are not the same. */
export const PROBE_SCRIPT = `<?php
$status = function_exists('opcache_get_status') ? @opcache_get_status(false) : false;
$pool = function_exists('fpm_get_status') ? fpm_get_status() : [];
header('Content-Type: application/json');
echo json_encode([
    'version' => PHP_VERSION,
    'sapi' => PHP_SAPI,
    'opcache' => is_array($status) && !empty($status['opcache_enabled']),
    'jit' => is_array($status) && isset($status['jit']) ? $status['jit'] : null,
    'xdebug' => extension_loaded('xdebug'),
    'processManager' => isset($pool['process-manager']) ? $pool['process-manager'] : null,
    'processes' => isset($pool['total-processes']) ? $pool['total-processes'] : null,
    'extensions' => array_merge(get_loaded_extensions(), get_loaded_extensions(true)),
]);
`;

/** What the probe answers. */
export interface ProbeAnswer {
  version: string;
  sapi: string;
  opcache: boolean;
  /** opcache_get_status()["jit"]; null before PHP 8.0 and without OPcache. */
  jit: { enabled: boolean; on: boolean; kind: number; buffer_size: number } | null;
  xdebug: boolean;
  processManager: string | null;
  processes: number | null;
  extensions: string[];
}

/** ZEND_JIT_ON_HOT_TRACE; other kinds compile whole functions. */
const TRACING = 5;

/** The answer in our words. A worker count that moves with the load (not static) is the configured one. */
export function phpState(answer: ProbeAnswer, settings: PhpSettings): PhpState {
  const processManager = answer.processManager ?? settings.processManager;
  return {
    version: answer.version,
    sapi: answer.sapi,
    opcache: answer.opcache,
    jit: answer.opcache && answer.jit?.on === true ? (answer.jit.kind === TRACING ? "tracing" : "function") : "off",
    jitBufferBytes: answer.jit?.on === true ? answer.jit.buffer_size : 0,
    xdebug: answer.xdebug,
    processManager,
    workers: processManager === "static" ? (answer.processes ?? settings.workers) : settings.workers,
    extensions: [...new Set(answer.extensions)].sort((a, b) => a.localeCompare(b, "en", { sensitivity: "base" })),
  };
}
