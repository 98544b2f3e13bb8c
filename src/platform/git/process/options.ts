import type { Readable } from 'node:stream';
import type { GitConfig } from './environment.ts';
import type { Lane } from './subcommands.ts';

/** Limits and environment of one git process. */
export interface GitOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  readonly stdin?: Readable | Buffer | string;
  /** Variables added to the scrubbed environment, such as GIT_PROTOCOL. */
  readonly env?: Readonly<Record<string, string>>;
  /** Configuration that overrides the forced one for this process. */
  readonly config?: GitConfig;
  /** Exit codes that are results rather than failures; [0] by default. */
  readonly okCodes?: readonly number[];
  /** How many two-way pipes to open as descriptors 3, 4, ... */
  readonly extraFds?: number;
  /** Receives what the process writes to standard error, as it arrives. */
  readonly onStderr?: (chunk: Buffer) => void;
  /** Allows pathspec magic in `paths` (`:(exclude,literal)x`); the caller then quotes user input. */
  readonly pathspecMagic?: boolean;
  /** Overrides the lane in the table. */
  readonly lane?: Lane;
}
