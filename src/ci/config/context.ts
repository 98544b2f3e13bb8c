/** The text of a file, or the list of includes of a child pipeline. */
export type ConfigSource =
  | { readonly text: string }
  | { readonly include: readonly Readonly<Record<string, unknown>>[] };

/** Input of the compiler, and its access to the outside world. */
export interface CompileContext {
  readonly ref: RefFacts;
  /** Predefined variables known before the pipeline exists; lowest precedence. */
  readonly predefined: Readonly<Record<string, string>>;
  /**
   * Predefined variables of the pipeline, available after its workflow rules matched. They are functions so that their
   * use can be observed.
   */
  readonly pipelineVariables?: Readonly<Record<string, () => string>>;
  /**
   * Instance, group, project and pipeline variables for jobs of an environment (null for jobs without one), lowest
   * precedence first. They override all variables of the file.
   */
  readonly variables: (environment: string | null) => readonly ContextVariable[];
  /** Values for the `spec:inputs` of the file. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly includes: IncludeResolver;
  readonly repository: RepositoryFacts;
  /** Origin of the file. */
  readonly origin: ConfigOrigin;
  readonly limits?: Partial<Limits>;
}

export interface ContextVariable {
  readonly key: string;
  readonly value: string;
  /** Raw variables are not expanded. */
  readonly raw?: boolean;
  /** File variables contain a path that only the runner knows. */
  readonly file?: boolean;
  /** Masked variables cannot be inserted by `expand_vars`. */
  readonly masked?: boolean;
}

export interface RefFacts {
  /** Branch or tag; the source branch for merge requests. */
  readonly name: string;
  readonly kind: 'branch' | 'tag' | 'merge_request';
  /** As in `CI_PIPELINE_SOURCE`. */
  readonly source: string;
  /** Full path of the project, for `only: [main@group/project]`. */
  readonly projectPath: string;
}

/** The project and commit of a file; both null for remote files. */
export interface ConfigOrigin {
  readonly project: string | null;
  readonly sha: string | null;
  /** For components: values of `$[[ component.name ]]` and similar. */
  readonly component?: Readonly<Record<string, string>>;
}

export type IncludeRequest =
  | { readonly type: 'local'; readonly path: string }
  | { readonly type: 'project'; readonly project: string; readonly ref: string | null; readonly file: string }
  /** `cacheSeconds`: how long a cached copy may be used. */
  | { readonly type: 'remote'; readonly url: string; readonly cacheSeconds?: number }
  | { readonly type: 'template'; readonly name: string }
  | { readonly type: 'component'; readonly address: string }
  | { readonly type: 'artifact'; readonly job: string; readonly file: string };

export interface IncludedFile {
  readonly text: string;
  /** Origin that nested includes are relative to. */
  readonly origin: ConfigOrigin;
  /** Location in the lint result: a path or URL. */
  readonly location: string;
  readonly blob?: string | null;
  readonly raw?: string | null;
}

export interface IncludeResolver {
  /** Local paths with wildcards may return several files. An `error` is shown to the user unchanged. */
  resolve(
    request: IncludeRequest,
    from: ConfigOrigin,
  ): Promise<{ readonly files: readonly IncludedFile[] } | { readonly error: string }>;
}

export interface RepositoryFacts {
  /**
   * Up to `limit` paths changed by this pipeline, compared with its base or `compareTo`. Returns `no_base` when there
   * is nothing to compare with, and `unknown_ref` when `compareTo` does not exist.
   */
  changedPaths(compareTo: string | null, limit: number): Promise<readonly string[] | 'no_base' | 'unknown_ref'>;
  /** Whether any of these files exists; a path ending in `/` matches any file below it. */
  anyFile(at: FilesAt | null, paths: readonly string[]): Promise<boolean | 'unknown_ref'>;
  /** Lists up to `limit` files. */
  listFiles(at: FilesAt | null, limit: number): Promise<readonly string[] | 'unknown_ref'>;
  /** For `cache:key:files`: the IDs of the blobs or last commits of the existing matching files. */
  fileIds(kind: 'blob' | 'commit', patterns: readonly string[]): Promise<readonly string[]>;
}

/** Project and ref to look up files in; null for the commit of the pipeline. */
export interface FilesAt {
  readonly project: string | null;
  readonly ref: string | null;
}

export interface Limits {
  /** Bytes per file. */
  readonly fileBytes: number;
  /** Total bytes of all files. */
  readonly totalBytes: number;
  readonly files: number;
  /** Values of a configuration after expanding aliases, references and `extends`. */
  readonly values: number;
  readonly jobs: number;
  readonly needs: number;
}
