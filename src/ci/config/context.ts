/** What the compiler has to be told, and may ask for, about the world around the file. */
export interface CompileContext {
  readonly ref: RefFacts;
  /** Predefined variables that are known before the pipeline is: the lowest of all. */
  readonly predefined: Readonly<Record<string, string>>;
  /** The same of a pipeline that its workflow lets run; to be told of each that is asked for, they are functions. */
  readonly ofPipeline?: Readonly<Record<string, () => string>>;
  /**
   * Instance, group, project and pipeline variables that hold for jobs of this environment (null: jobs without one),
   * lowest first. They win over everything that the file says.
   */
  readonly variables: (environment: string | null) => readonly ContextVariable[];
  /** Values for the inputs of the file's own `spec`. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly includes: IncludeResolver;
  readonly repository: RepositoryFacts;
  /** Where the file itself comes from. */
  readonly origin: ConfigOrigin;
  readonly limits?: Partial<Limits>;
}

export interface ContextVariable {
  readonly key: string;
  readonly value: string;
  /** A raw variable is not searched for references. */
  readonly raw?: boolean;
  /** A file variable stands for a path that only the runner knows. */
  readonly file?: boolean;
  /** A masked variable cannot be written into the configuration by `expand_vars`. */
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

/** The project and commit that a file was read from; both null for a file of the web. */
export interface ConfigOrigin {
  readonly project: string | null;
  readonly sha: string | null;
  /** Of a component: what `$[[ component.name ]]` and the like stand for. */
  readonly component?: Readonly<Record<string, string>>;
}

export type IncludeRequest =
  | { readonly type: 'local'; readonly path: string }
  | { readonly type: 'project'; readonly project: string; readonly ref: string | null; readonly file: string }
  /** `keepSeconds`: for so long what was fetched before will do. */
  | { readonly type: 'remote'; readonly url: string; readonly keepSeconds?: number }
  | { readonly type: 'template'; readonly name: string }
  | { readonly type: 'component'; readonly address: string }
  | { readonly type: 'artifact'; readonly job: string; readonly file: string };

export interface IncludedFile {
  readonly text: string;
  /** What nested includes of this file are relative to. */
  readonly origin: ConfigOrigin;
  /** As the lint answer names it: a path, or an address. */
  readonly location: string;
  readonly blob?: string | null;
  readonly raw?: string | null;
}

export interface IncludeResolver {
  /** A local path with wildcards may bring several files. An `error` is shown to the user as it is. */
  resolve(
    request: IncludeRequest,
    from: ConfigOrigin,
  ): Promise<{ readonly files: readonly IncludedFile[] } | { readonly error: string }>;
}

export interface RepositoryFacts {
  /**
   * Paths that this pipeline changes, or the first `limit` of them: against its own base, or against `compareTo` where that is given.
   * `no_base` where there is nothing to compare with, `unknown_ref` where `compareTo` is none.
   */
  changedPaths(compareTo: string | null, limit: number): Promise<readonly string[] | 'no_base' | 'unknown_ref'>;
  /** Whether one of these files is there; a path that ends in `/` asks for any file below it. */
  anyFile(at: FilesAt | null, paths: readonly string[]): Promise<boolean | 'unknown_ref'>;
  /** All files, or the first `limit` of them. */
  listFiles(at: FilesAt | null, limit: number): Promise<readonly string[] | 'unknown_ref'>;
  /** For `cache:key:files`: the ids of the blobs, or of the last commits, of the files that match; those that exist. */
  fileIds(kind: 'blob' | 'commit', patterns: readonly string[]): Promise<readonly string[]>;
}

/** Null instead of this: the commit of the pipeline. */
export interface FilesAt {
  readonly project: string | null;
  readonly ref: string | null;
}

export interface Limits {
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of all files together. */
  readonly totalBytes: number;
  readonly files: number;
  /** Values that one pipeline's configuration may hold once aliases, references and `extends` are written out. */
  readonly values: number;
  readonly jobs: number;
  readonly needs: number;
}
