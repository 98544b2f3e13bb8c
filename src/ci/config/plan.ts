/** What a configuration comes to for one pipeline. Everything in here is plain data and survives JSON. */
export interface Plan {
  readonly workflow: PlannedWorkflow;
  /** The names in order, `.pre` and `.post` included where a job is in them, and none without a job. */
  readonly stages: readonly string[];
  readonly jobs: readonly PlannedJob[];
}

export interface PlannedWorkflow {
  readonly name: string | null;
  readonly autoCancel: AutoCancel;
  /** The top-level variables of the file, those of the matching `workflow:rules` over them. */
  readonly variables: readonly PlannedVariable[];
}

export interface AutoCancel {
  readonly onNewCommit: 'conservative' | 'interruptible' | 'none';
  readonly onJobFailure: 'all' | 'none';
}

export interface PlannedVariable {
  readonly key: string;
  readonly value: string;
  /** `expand: false`: the value is taken as it is written. */
  readonly raw: boolean;
}

export type JobWhen = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed';

export interface PlannedJob {
  /** With its instance where the job is parallel: `test 1/3`, `build: [arm64, debug]`. */
  readonly name: string;
  /** The name as it stands in the file. */
  readonly groupName: string;
  /** A bridge has a trigger, and no runner ever sees it. */
  readonly kind: 'build' | 'bridge';
  readonly stage: string;
  /** The place of the stage in the plan's `stages`. */
  readonly stageIndex: number;
  readonly beforeScript: readonly string[];
  readonly script: readonly string[];
  readonly afterScript: readonly string[];
  readonly hooks: { readonly preGetSourcesScript: readonly string[] };
  readonly image: PlannedImage | null;
  readonly services: readonly PlannedService[];
  /** Those of the file: top level (as far as inherited), the job's, the matrix', the matching rule's; later ones win already. */
  readonly variables: readonly PlannedVariable[];
  readonly tags: readonly string[];
  readonly when: JobWhen;
  /** Seconds, where `when` is delayed. */
  readonly startIn: number | null;
  readonly allowFailure: boolean;
  /** A failure with one of these is allowed though `allowFailure` is false. */
  readonly allowFailureExitCodes: readonly number[];
  /** Null: the job follows the order of stages. */
  readonly needs: readonly PlannedNeed[] | null;
  readonly pipelineNeeds: readonly PipelineNeed[];
  readonly projectNeeds: readonly ProjectNeed[];
  /** Names of the jobs whose artifacts are fetched; null where the keyword is absent. */
  readonly dependencies: readonly string[] | null;
  readonly artifacts: PlannedArtifacts | null;
  readonly cache: readonly PlannedCache[];
  readonly environment: PlannedEnvironment | null;
  readonly resourceGroup: string | null;
  readonly interruptible: boolean;
  readonly retry: PlannedRetry;
  /** Seconds; null where the project's setting holds. */
  readonly timeout: number | null;
  /** The pattern between the slashes. */
  readonly coverage: string | null;
  readonly parallel: { readonly index: number; readonly total: number } | null;
  readonly trigger: PlannedTrigger | null;
  /** The project whose latest pipeline a bridge without a trigger mirrors; may hold variables. */
  readonly upstream?: string;
  readonly release: PlannedRelease | null;
  readonly idTokens: Readonly<Record<string, { readonly aud: readonly string[] }>>;
  /** By the variable that holds each. */
  readonly secrets: Readonly<Record<string, PlannedSecret>>;
  readonly identity: string | null;
  readonly pages: PlannedPages | null;
  readonly manualConfirmation: string | null;
}

/** What the runner fetches from elsewhere before the job begins. */
export interface PlannedSecret {
  readonly source: SecretSource;
  /** The variable with the token that the provider is shown, as `$NAME`. */
  readonly token: string | null;
  /** Whether the variable holds the path of a file with the secret. */
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
  /** As the runner reads it: `{docker: {platform, user}, kubernetes: {user}}`. */
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

/** Artifacts of a job of another pipeline of the family. */
export interface PipelineNeed {
  /** May hold a variable, such as `$PARENT_PIPELINE_ID`. */
  readonly pipeline: string;
  readonly job: string;
  readonly artifacts: boolean;
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
  /** As written; `durationSeconds` and `neverExpires` read it. */
  readonly expireIn: string | null;
  readonly exposeAs: string | null;
  readonly access: 'all' | 'developer' | 'maintainer' | 'none';
  /** Type to files; `coverage_report` stands here as `cobertura` or `jacoco`. */
  readonly reports: Readonly<Record<string, readonly string[]>>;
}

export interface PlannedCache {
  /** As written, or the digest of `key:files`; may hold variables. */
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
  /** May hold variables that only the running job knows. */
  readonly url: string | null;
  readonly action: 'start' | 'prepare' | 'stop' | 'verify' | 'access';
  readonly onStop: string | null;
  readonly autoStopIn: string | null;
  readonly deploymentTier: string | null;
  readonly kubernetes: Readonly<Record<string, unknown>> | null;
}

export interface PlannedRetry {
  readonly max: number;
  /** Failure reasons, or `always`; empty where only exit codes count. */
  readonly when: readonly string[];
  readonly exitCodes: readonly number[];
}

export interface PlannedTrigger {
  /** Null for a child pipeline. May hold variables, as `branch` may: they are expanded when the bridge runs. */
  readonly project: string | null;
  readonly branch: string | null;
  /** What the child pipeline is made of; empty for a pipeline of another project. */
  readonly include: readonly TriggerInclude[];
  readonly strategy: 'depend' | 'mirror' | null;
  readonly forward: { readonly yamlVariables: boolean; readonly pipelineVariables: boolean };
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** One include of a child pipeline, as plain data: hand the list to `compile` as `{ include }`. */
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
