/** How much of a project is shown: the layers of the documents, each more than the one before. */
export interface View {
  readonly layer: 'basic' | 'anonymous' | 'full' | 'access';
  readonly statistics?: boolean | undefined;
  readonly license?: boolean | undefined;
  /** Counts for administrators alone. */
  readonly customAttributes?: boolean | undefined;
  /** Answers about a single project tell its Maintainers why an import failed. */
  readonly importError?: boolean | undefined;
}
