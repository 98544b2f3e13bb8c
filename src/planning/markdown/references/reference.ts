/** Something that a text names. The path is the project or group before the sign, where one is written. */
export type Reference =
  | {
      readonly type: 'issue' | 'merge_request' | 'snippet' | 'epic';
      readonly path?: string;
      readonly iid: number;
      /** It is to be shown with a summary, which is looked up for those alone. */
      readonly summary?: true;
    }
  | { readonly type: 'user'; readonly name: string }
  | { readonly type: 'label'; readonly path?: string; readonly name: string }
  | { readonly type: 'milestone'; readonly path?: string; readonly name: string }
  | { readonly type: 'iteration'; readonly name: string }
  /** What may be an issue of a tracker elsewhere, as it is written: `ABC-12`. */
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

/** A reference, and how it stands in the text. */
export interface WrittenReference {
  readonly reference: Reference;
  /** As written: `group/project#1`, or an address. */
  readonly written: string;
  /** `#1+` asks for the title too, and `#1+s` for a summary. */
  readonly show?: 'title' | 'summary';
  /** Whether it is the address of a page of this instance. */
  readonly isAddress?: boolean;
  /** Which part of the item an address names: `diffs`. */
  readonly part?: string;
  /** What an address names within the item, as `note_5`. */
  readonly fragment?: string;
}

/** The same for every way of writing one and the same reference. */
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

/** Each thing once; with a summary, where one of those that refer to it asks for that. */
export function distinctReferences(all: Iterable<Reference>): Reference[] {
  const found = new Map<string, Reference>();
  for (const reference of all) {
    const key = referenceKey(reference);
    if (!found.has(key) || 'summary' in reference) found.set(key, reference);
  }
  return [...found.values()];
}

/** What the reader gets to see of a reference that he may follow. */
export interface ResolvedReference {
  readonly href: string;
  /** What stands in the text, as short as the place allows: `#1`, `project#1`, `group/project#1`. */
  readonly text: string;
  /** The title of what is meant. */
  readonly title?: string;
  /** How it is planned, where that was asked for. */
  readonly summary?: string;
  readonly id?: number;
  readonly projectId?: number;
  readonly groupId?: number;
  /** It is kept elsewhere. */
  readonly leadsOut?: true;
}

/** What references were found to be, by their keys. Those that do not exist, or that the reader may not know, are missing. */
export type ResolvedReferences = ReadonlyMap<string, ResolvedReference>;
