import type { Plan } from './plan.ts';

export interface ConfigError {
  /** In GitLab's words. */
  readonly message: string;
  /** Where it is, as far as that can be said: counted from 1. */
  readonly line: number | null;
  /** The location of the included file, null for the file itself. */
  readonly file: string | null;
}

export interface LintInclude {
  readonly type: string;
  readonly location: string;
  readonly blob: string | null;
  readonly raw: string | null;
  readonly extra: Readonly<Record<string, unknown>>;
  readonly contextProject: string | null;
  readonly contextSha: string | null;
}

/** A job as the lint answer shows it without a dry run: before any rule is asked. */
export interface LintJob {
  readonly name: string;
  readonly stage: string;
  readonly beforeScript: readonly string[];
  readonly script: readonly string[];
  readonly afterScript: readonly string[];
  readonly tagList: readonly string[];
  readonly only: unknown;
  readonly except: unknown;
  readonly environment: string | null;
  readonly when: string;
  readonly allowFailure: boolean;
  readonly needs: unknown;
}

/** What can be said of a configuration whatever becomes of it. */
export interface Examined {
  readonly warnings: readonly string[];
  readonly includes: readonly LintInclude[];
  /** The file with its includes and `extends` written out; null where it could not be read, or is too large for that. */
  mergedYaml(): Promise<string | null>;
  lintJobs(): Promise<readonly LintJob[]>;
}

export type Compilation = Examined &
  (
    | { readonly outcome: 'planned'; readonly plan: Plan }
    /** Valid, but no pipeline comes of it. */
    | { readonly outcome: 'filtered'; readonly by: 'workflow_rules' | 'rules'; readonly message: string }
    | { readonly outcome: 'invalid'; readonly errors: readonly ConfigError[] }
  );
