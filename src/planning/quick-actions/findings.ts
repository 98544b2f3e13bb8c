export interface Person {
  readonly id: number;
  readonly username: string;
}

export interface Titled {
  readonly id: number;
  readonly title: string;
}

/** Names that commands need resolved, as written. They are looked up together before the commands are interpreted. */
export interface LookupRequest {
  readonly usernames?: readonly string[];
  readonly labels?: readonly string[];
  /** Titles, or `%1` for an IID. */
  readonly milestones?: readonly string[];
  /** `#1`, `group/project!2`, `&3`, or a URL. */
  readonly items?: readonly string[];
  readonly projects?: readonly string[];
  readonly branches?: readonly string[];
  readonly iterations?: readonly string[];
}

/** An issue, merge request or epic that the writer can read. */
export interface FoundItem {
  readonly id: number;
  readonly kind: 'issue' | 'merge_request' | 'epic';
  /** Shortest reference from the project of the command: `#1`, `project#1`, `group/project#1`. */
  readonly reference: string;
  readonly projectId?: number;
  readonly labels?: readonly Titled[];
  readonly milestone?: Titled | null;
}

/**
 * Objects found, by name as written; objects that do not exist and those that the writer may not see are both missing.
 */
export interface LookupResults {
  readonly person: (username: string) => Person | undefined;
  readonly label: (name: string) => Titled | undefined;
  readonly milestone: (title: string) => Titled | undefined;
  readonly item: (reference: string) => FoundItem | undefined;
  readonly project: (path: string) => { readonly id: number; readonly fullPath: string } | undefined;
  readonly branch: (name: string) => boolean;
  readonly iteration: (reference: string) => Titled | undefined;
}

const kinds = ['usernames', 'labels', 'milestones', 'items', 'projects', 'branches', 'iterations'] as const;

/** Merges the lookups of several commands without duplicates. */
export function mergeLookups(all: readonly LookupRequest[]): Required<LookupRequest> {
  const together = (kind: (typeof kinds)[number]) => [...new Set(all.flatMap((wanted) => wanted[kind] ?? []))];
  return {
    usernames: together('usernames'),
    labels: together('labels'),
    milestones: together('milestones'),
    items: together('items'),
    projects: together('projects'),
    branches: together('branches'),
    iterations: together('iterations'),
  };
}

export const emptyLookupResults: LookupResults = {
  person: () => undefined,
  label: () => undefined,
  milestone: () => undefined,
  item: () => undefined,
  project: () => undefined,
  branch: () => false,
  iteration: () => undefined,
};
