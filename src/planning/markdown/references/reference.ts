/** A reference to an item. `path` is the project or group before the sign, if there is one. */
export type Reference =
  | {
      readonly type: 'issue' | 'merge_request' | 'snippet' | 'epic';
      readonly path?: string;
      readonly iid: number;
      /** Requests a summary, which is only loaded for such references. */
      readonly summary?: true;
    }
  | { readonly type: 'user'; readonly name: string }
  | { readonly type: 'label'; readonly path?: string; readonly name: string }
  | { readonly type: 'milestone'; readonly path?: string; readonly name: string }
  | { readonly type: 'iteration'; readonly name: string }
  /** A possible issue key of an external tracker: `ABC-12`. */
  | { readonly type: 'external_issue'; readonly name: string }
  | { readonly type: 'commit'; readonly path?: string; readonly sha: string }
  | {
      readonly type: 'commit_range';
      readonly path?: string;
      readonly from: string;
      readonly to: string;
      readonly dots: string;
    };

export type ReferenceType = Reference['type'];

/** A reference and how it is written in the text. */
export interface WrittenReference {
  readonly reference: Reference;
  /** As written: `group/project#1`, or a URL. */
  readonly written: string;
  /** `#1+` requests the title, and `#1+s` a summary. */
  readonly show?: 'title' | 'summary';
  /** Whether it is written as the URL of a page of this instance. */
  readonly isAddress?: boolean;
  /** Tab of the item that a URL points to, such as `diffs`. */
  readonly part?: string;
  /** Fragment of the URL, such as `note_5`. */
  readonly fragment?: string;
}

/** A key that is equal for all spellings of the same reference. */
export function referenceKey(reference: Reference): string {
  const path = 'path' in reference ? (reference.path ?? '') : '';
  switch (reference.type) {
    case 'user':
    case 'label':
    case 'milestone':
    case 'iteration':
    case 'external_issue':
      return `${reference.type} ${path} ${reference.name}`;
    case 'commit':
      return `commit ${path} ${reference.sha}`;
    case 'commit_range':
      return `commit_range ${path} ${reference.from}${reference.dots}${reference.to}`;
    default:
      return `${reference.type} ${path} ${reference.iid}`;
  }
}

/** Removes duplicates; the result requests a summary if any of the duplicates does. */
export function distinctReferences(all: Iterable<Reference>): Reference[] {
  const found = new Map<string, Reference>();
  for (const reference of all) {
    const key = referenceKey(reference);
    if (!found.has(key) || 'summary' in reference) found.set(key, reference);
  }
  return [...found.values()];
}

/** A reference resolved for a reader who may see its target. */
export interface ResolvedReference {
  readonly href: string;
  /** Link text, as short as the context allows: `#1`, `project#1`, `group/project#1`. */
  readonly text: string;
  /** Title of the item. */
  readonly title?: string;
  /** Summary of milestone, assignees and health, if requested. */
  readonly summary?: string;
  readonly id?: number;
  readonly projectId?: number;
  readonly groupId?: number;
  /** The item belongs to an external tracker. */
  readonly leadsOut?: true;
}

/** Resolved references by key. References that do not exist or that the reader may not see are missing. */
export type ResolvedReferences = ReadonlyMap<string, ResolvedReference>;
