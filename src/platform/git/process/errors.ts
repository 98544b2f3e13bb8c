/** A git process failed: non-zero exit code, time limit, output limit or cancellation. */
export class GitError extends Error {
  override readonly name = 'GitError';
  /** Exit code; -1 if the process was killed or never started. */
  readonly code: number;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly truncated: boolean;
  readonly aborted: boolean;
  /** git is not installed. */
  readonly unavailable: boolean;
  /** It exceeded the memory limit of a process. */
  readonly outOfMemory: boolean;

  constructor(
    message: string,
    detail: {
      code?: number;
      stderr?: string;
      timedOut?: boolean;
      truncated?: boolean;
      aborted?: boolean;
      unavailable?: boolean;
      cause?: unknown;
    },
  ) {
    super(message, { cause: detail.cause });
    this.code = detail.code ?? -1;
    this.stderr = detail.stderr ?? '';
    this.timedOut = detail.timedOut ?? false;
    this.truncated = detail.truncated ?? false;
    this.aborted = detail.aborted ?? false;
    this.unavailable = detail.unavailable ?? false;
    this.outOfMemory = /^fatal: (.*out of memory|mmap failed)/im.test(this.stderr);
  }
}

/** An argument that could be taken for an option, or that would break git's line protocols. */
export class GitArgumentError extends Error {
  override readonly name = 'GitArgumentError';
}

/** Too many git processes are running or waiting, or too many files are open: the response is 503 with Retry-After. */
export class GitBusyError extends Error {
  override readonly name = 'GitBusyError';
}
