/** The result of one check, with advice. */
export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'failed';
  detail: string;
  advice?: string;
}

/** The check passed. */
export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail };
}

/** It works, but needs attention. */
export function warning(check: string, detail: string, advice: string): Finding {
  return { check, status: 'warning', detail, advice };
}

/** The check failed: Hearth cannot work like this. */
export function failed(check: string, detail: string, advice: string): Finding {
  return { check, status: 'failed', detail, advice };
}

/** Returns the message of anything that was thrown. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
