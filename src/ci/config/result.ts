import type { Plan } from './plan.ts';

export interface ConfigError {
  /** The message text of GitLab. */
  readonly message: string;
  /** Line of the error, counted from 1, if known. */
  readonly line: number | null;
  /** Location of the included file; null for the root file. */
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

/** A job in the lint result without a dry run, before rules are evaluated. */
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

/** Results available for every configuration, valid or not. */
export interface Examined {
  readonly warnings: readonly string[];
  readonly includes: readonly LintInclude[];
  /** The fully expanded configuration; null when it could not be parsed or is too large. */
  mergedYaml(): Promise<string | null>;
  lintJobs(): Promise<readonly LintJob[]>;
}

export type Compilation = Examined &
  (
    | { readonly outcome: 'planned'; readonly plan: Plan }
    /** Valid, but the rules filter out the pipeline. */
    | { readonly outcome: 'filtered'; readonly by: 'workflow_rules' | 'rules'; readonly message: string }
    | { readonly outcome: 'invalid'; readonly errors: readonly ConfigError[] }
  );
