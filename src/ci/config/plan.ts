/** The compiled configuration of one pipeline. Plain data that can be stored as JSON. */
export interface Plan {
  readonly workflow: PlannedWorkflow;
  /** The stages that contain jobs, in order, including `.pre` and `.post`. */
  readonly stages: readonly string[];
  readonly jobs: readonly PlannedJob[];
}

export interface PlannedWorkflow {
  readonly name: string | null;
  readonly autoCancel: AutoCancel;
  /** The top-level variables, overridden by those of the matching `workflow:rules`. */
  readonly variables: readonly PlannedVariable[];
}

export interface AutoCancel {
  readonly onNewCommit: 'conservative' | 'interruptible' | 'none';
  readonly onJobFailure: 'all' | 'none';
}

export interface PlannedVariable {
  readonly key: string;
  readonly value: string;
  /** `expand: false`: the value is not expanded. */
  readonly raw: boolean;
}

export type JobWhen = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed';

export interface PlannedJob {
  /** Includes the instance of parallel jobs: `test 1/3`, `build: [arm64, debug]`. */
  readonly name: string;
  /** The name in the file. */
  readonly groupName: string;
  /** A bridge triggers or mirrors a pipeline and does not run on a runner. */
  readonly kind: 'build' | 'bridge';
  readonly stage: string;
  /** Index of the stage in `stages` of the plan. */
  readonly stageIndex: number;
  readonly beforeScript: readonly string[];
  readonly script: readonly string[];
  readonly afterScript: readonly string[];
  readonly hooks: { readonly preGetSourcesScript: readonly string[] };
  readonly image: PlannedImage | null;
  readonly services: readonly PlannedService[];
  /**
   * Variables of the file: inherited top-level ones, overridden by those of the job, the matrix and the matching rule.
   */
  readonly variables: readonly PlannedVariable[];
  readonly tags: readonly string[];
  readonly when: JobWhen;
  /** Delay in seconds, when `when` is `delayed`. */
  readonly startIn: number | null;
  readonly allowFailure: boolean;
  /** Exit codes with which the job may fail even if `allowFailure` is false. */
  readonly allowFailureExitCodes: readonly number[];
  /** Null when the job follows the stage order. */
  readonly needs: readonly PlannedNeed[] | null;
  readonly pipelineNeeds: readonly PipelineNeed[];
  readonly projectNeeds: readonly ProjectNeed[];
  /** Names of the jobs whose artifacts are downloaded; null when the keyword is absent. */
  readonly dependencies: readonly string[] | null;
  readonly artifacts: PlannedArtifacts | null;
  readonly cache: readonly PlannedCache[];
  readonly environment: PlannedEnvironment | null;
  readonly resourceGroup: string | null;
  readonly interruptible: boolean;
  readonly retry: PlannedRetry;
  /** Seconds; null to use the project's setting. */
  readonly timeout: number | null;
  /** The pattern without slashes. */
  readonly coverage: string | null;
  readonly parallel: { readonly index: number; readonly total: number } | null;
  readonly trigger: PlannedTrigger | null;
  /** The project whose latest pipeline a bridge without a trigger mirrors; may contain variables. */
  readonly upstream?: string;
  readonly release: PlannedRelease | null;
  readonly idTokens: Readonly<Record<string, { readonly aud: readonly string[] }>>;
  /** Secrets by the name of their variable. */
  readonly secrets: Readonly<Record<string, PlannedSecret>>;
  readonly identity: string | null;
  readonly pages: PlannedPages | null;
  readonly manualConfirmation: string | null;
  /** Absent when the job has none. */
  readonly inputs?: readonly PlannedInput[];
  /** Steps that the runner executes instead of scripts. */
  readonly run?: readonly unknown[];
}

/** An input of a job, whose value may be given when the job is run by hand or retried. */
export interface PlannedInput {
  readonly name: string;
  readonly type: 'string' | 'number' | 'boolean' | 'array';
  readonly default: unknown;
  readonly description: string | null;
  readonly options: readonly unknown[] | null;
  /** The pattern without slashes. */
  readonly regex: string | null;
}

/** A secret that the runner fetches before the job starts. */
export interface PlannedSecret {
  readonly source: SecretSource;
  /** Variable with the token for the provider, as `$NAME`. */
  readonly token: string | null;
  /** Whether the variable contains the path of a file with the secret. */
  readonly file: boolean;
}

export type SecretSource =
  | {
      readonly provider: 'vault';
      readonly engine: { readonly name: string; readonly path: string };
      readonly path: string;
      readonly field: string;
    }
  | {
      readonly provider: 'gcp_secret_manager' | 'azure_key_vault';
      readonly name: string;
      readonly version: string | null;
    }
  | { readonly provider: 'aws_secrets_manager'; readonly named: Readonly<Record<string, string>> };

export interface PlannedImage {
  readonly name: string;
  readonly entrypoint: readonly string[] | null;
  readonly pullPolicy: readonly string[] | null;
  /** In the runner's format: `{docker: {platform, user}, kubernetes: {user}}`. */
  readonly executorOpts: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface PlannedService extends PlannedImage {
  readonly alias: string | null;
  readonly command: readonly string[] | null;
  readonly variables: readonly PlannedVariable[];
}

/** A job of the same pipeline, by its full name. */
export interface PlannedNeed {
  readonly name: string;
  readonly artifacts: boolean;
  readonly optional: boolean;
}

/** Artifacts of a job of another pipeline in the same hierarchy. */
export interface PipelineNeed {
  /** May contain a variable, such as `$PARENT_PIPELINE_ID`. */
  readonly pipeline: string;
  readonly job: string;
  readonly artifacts: boolean;
  /** The job starts even if the needed one does not exist. */
  readonly optional?: boolean;
}

export interface ProjectNeed {
  readonly project: string;
  readonly job: string;
  readonly ref: string;
  readonly artifacts: boolean;
}

export interface PlannedArtifacts {
  readonly paths: readonly string[];
  readonly exclude: readonly string[];
  readonly untracked: boolean;
  readonly name: string | null;
  readonly when: 'on_success' | 'on_failure' | 'always';
  /** Original text; parsed by `durationSeconds` and `neverExpires`. */
  readonly expireIn: string | null;
  readonly exposeAs: string | null;
  readonly access: 'all' | 'developer' | 'maintainer' | 'none';
  /** Files by report type; `coverage_report` is stored as `cobertura` or `jacoco`. */
  readonly reports: Readonly<Record<string, readonly string[]>>;
}

export interface PlannedCache {
  /** Original text, or the digest of `key:files`; may contain variables. */
  readonly key: string;
  readonly paths: readonly string[];
  readonly untracked: boolean;
  readonly policy: string;
  readonly when: 'on_success' | 'on_failure' | 'always';
  readonly unprotect: boolean;
  readonly fallbackKeys: readonly string[];
}

export interface PlannedEnvironment {
  readonly name: string;
  /** May contain variables that only the running job knows. */
  readonly url: string | null;
  readonly action: 'start' | 'prepare' | 'stop' | 'verify' | 'access';
  readonly onStop: string | null;
  readonly autoStopIn: string | null;
  readonly deploymentTier: string | null;
  readonly kubernetes: Readonly<Record<string, unknown>> | null;
}

export interface PlannedRetry {
  readonly max: number;
  /** Failure reasons or `always`; empty when only exit codes are checked. */
  readonly when: readonly string[];
  readonly exitCodes: readonly number[];
}

export interface PlannedTrigger {
  /** Null for a child pipeline. May contain variables, like `branch`; they are expanded when the bridge runs. */
  readonly project: string | null;
  readonly branch: string | null;
  /** Configuration of the child pipeline; empty for multi-project pipelines. */
  readonly include: readonly TriggerInclude[];
  readonly strategy: 'depend' | 'mirror' | null;
  readonly forward: { readonly yamlVariables: boolean; readonly pipelineVariables: boolean };
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** An include of a child pipeline as plain data, to be passed to `compile` as `{ include }`. */
export type TriggerInclude = Readonly<Record<string, unknown>>;

export interface PlannedRelease {
  readonly tagName: string;
  readonly description: string;
  readonly tagMessage: string | null;
  readonly name: string | null;
  readonly ref: string | null;
  readonly milestones: readonly string[];
  readonly releasedAt: string | null;
  readonly links: readonly {
    readonly name: string;
    readonly url: string;
    readonly filepath: string | null;
    readonly linkType: string | null;
  }[];
}

export interface PlannedPages {
  readonly publish: string | null;
  readonly pathPrefix: string | null;
  readonly expireIn: string | null;
}
