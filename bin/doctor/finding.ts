/** What one check found, and what to do about it. */
export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'failed';
  detail: string;
  advice?: string;
}

/** All is well. */
export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail };
}

/** It works, but somebody should look at it. */
export function warning(check: string, detail: string, advice: string): Finding {
  return { check, status: 'warning', detail, advice };
}

/** It cannot work like this. */
export function failed(check: string, detail: string, advice: string): Finding {
  return { check, status: 'failed', detail, advice };
}

/** The message of whatever was thrown. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
