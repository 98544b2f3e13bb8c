import { crc32 } from 'node:zlib';
import { Masking } from './masking.ts';
import { JobGone, type JobPayload, type RunnerProtocol } from './protocol.ts';

const largestPatch = 1024 * 1024;
const defaultInterval = 3000;
/**
 * Maximum interval between checks whether the job is to be cancelled, even if the server accepts log updates less
 * often.
 */
const longestInterval = 5000;

/** The result of a job. */
export interface Outcome {
  readonly state: 'success' | 'failed';
  readonly failureReason?: string;
  readonly exitCode?: number;
}

/** Sends the log of a job to the server, and learns from the responses whether the job is to be cancelled. */
export class Trace {
  /** Aborted when the job is cancelled, with time to clean up. */
  readonly canceling: AbortSignal;
  /** Aborted when the server no longer wants the job. */
  readonly dropped: AbortSignal;
  readonly #job: JobPayload;
  readonly #protocol: RunnerProtocol;
  readonly #masking: Masking;
  readonly #canceling = new AbortController();
  readonly #dropped = new AbortController();
  #waiting: Buffer[] = [];
  #sent = 0;
  #size = 0;
  #checksum = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(protocol: RunnerProtocol, job: JobPayload) {
    this.#protocol = protocol;
    this.#job = job;
    this.canceling = this.#canceling.signal;
    this.dropped = this.#dropped.signal;
    this.#masking = new Masking(job.variables.filter(({ masked }) => masked).map(({ value }) => value));
    this.#schedule(0);
  }

  write(piece: Buffer | string): void {
    this.#append(this.#masking.take(Buffer.from(piece as string)));
  }

  line(text: string): void {
    this.write(`${text}\n`);
  }

  /** Sends the rest of the log and the result of the job. */
  async finish({ state, failureReason, exitCode }: Outcome): Promise<void> {
    this.#append(this.#masking.end());
    clearTimeout(this.#timer);
    await this.#sending;
    if (this.#dropped.signal.aborted) return;
    try {
      await this.#end({
        state,
        ...(failureReason && { failure_reason: failureReason }),
        ...(exitCode ? { exit_code: exitCode } : {}),
      });
    } catch (error) {
      // The server has ended the job meanwhile, so the result is not needed.
      if (!(error instanceof JobGone)) throw error;
    }
  }

  async #end(result: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#flush();
    await this.#report(result);
  }

  /** Stops without a report: the server has ended the job. */
  abandon(): void {
    clearTimeout(this.#timer);
    this.#dropped.abort();
  }

  #append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#size += bytes.length;
    this.#checksum = crc32(bytes, this.#checksum);
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#sending = this.#update().finally(() => {
        this.#sending = undefined;
      });
    }, ms);
  }

  async #update(): Promise<void> {
    let wait = defaultInterval;
    try {
      wait = this.#waiting.length > 0 ? await this.#flush() : await this.#report({ state: 'running' });
    } catch (error) {
      // Data that was not accepted is sent with the next part.
      if (error instanceof JobGone) return this.abandon();
    }
    if (!this.#dropped.signal.aborted) this.#schedule(Math.min(wait, longestInterval));
  }

  async #flush(): Promise<number> {
    let wait = defaultInterval;
    while (this.#waiting.length > 0) {
      const all = Buffer.concat(this.#waiting);
      this.#waiting = [all];
      const part = all.subarray(0, largestPatch);
      const response = await this.#protocol.send('PATCH', `/jobs/${this.#job.id}/trace?debug_trace=false`, {
        body: () => Uint8Array.from(part),
        headers: {
          'job-token': this.#job.token,
          'content-type': 'text/plain',
          'content-range': `${this.#sent}-${this.#sent + part.length - 1}`,
        },
      });
      wait = this.#readStatus(response);
      const stored = Number(/^0-(\d+)$/.exec(response.headers.get('range') ?? '')?.[1]);
      const accepted = response.status === 202 || response.status === 416;
      if (!accepted || !(stored > this.#sent) || stored > this.#sent + all.length) {
        throw new Error(`sending the log failed: the server responded with ${response.status}`);
      }
      const rest = Buffer.concat(this.#waiting).subarray(stored - this.#sent);
      this.#waiting = rest.length > 0 ? [rest] : [];
      this.#sent = stored;
    }
    return wait;
  }

  async #report(update: Readonly<Record<string, unknown>>): Promise<number> {
    const output = { checksum: `crc32:${this.#checksum.toString(16).padStart(8, '0')}`, bytesize: this.#size };
    const json = { token: this.#job.token, output, ...update };
    return this.#readStatus(await this.#protocol.send('PUT', `/jobs/${this.#job.id}`, { json }));
  }

  /** Reads the job status from a response; returns the delay before the next update in milliseconds. */
  #readStatus(response: Response): number {
    const status = response.headers.get('job-status');
    if (response.status === 403 || response.status === 404 || status === 'canceled' || status === 'failed') {
      // The final update of a cancelled job is answered with its status.
      if (response.status === 200 && status !== null) return defaultInterval;
      throw new JobGone(`the server reports the job as ${status ?? response.status}`);
    }
    if (status === 'canceling') this.#canceling.abort();
    return (Number(response.headers.get('x-gitlab-trace-update-interval')) || 3) * 1000;
  }
}
