import type { Readable } from 'node:stream';
import type { GitConfig } from './environment.ts';
import type { Lane } from './subcommands.ts';

/** Limits and surroundings of one git process. */
export interface GitOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
  readonly stdin?: Readable | Buffer | string;
  /** Variables added to the closed environment, such as GIT_PROTOCOL. */
  readonly env?: Readonly<Record<string, string>>;
  /** Configuration that overrides the forced one for this process. */
  readonly config?: GitConfig;
  /** Exit codes that are answers rather than failures; [0] by default. */
  readonly okCodes?: readonly number[];
  /** How many two-way pipes to open as descriptors 3, 4, ... */
  readonly extraFds?: number;
  /** Gets what the process writes to standard error, as it comes. */
  readonly onStderr?: (chunk: Buffer) => void;
  /** Lets `paths` use pathspec magic (`:(exclude,literal)x`); the caller then quotes what users gave. */
  readonly pathspecMagic?: boolean;
  /** Overrides the lane of the table. */
  readonly lane?: Lane;
}
