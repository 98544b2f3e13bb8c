export interface Person {
  readonly id: number;
  readonly username: string;
}

export interface Titled {
  readonly id: number;
  readonly title: string;
}

/** What commands must have looked up, all at once, before they are carried out. Everything is as the writer wrote it. */
export interface Wanted {
  readonly usernames?: readonly string[];
  readonly labels?: readonly string[];
  /** Titles, or `%1` by number. */
  readonly milestones?: readonly string[];
  /** `#1`, `group/project!2`, `&3`, or the address of one. */
  readonly items?: readonly string[];
  readonly projects?: readonly string[];
  readonly branches?: readonly string[];
  readonly iterations?: readonly string[];
}

/** An issue, merge request or epic that the writer named and can read. */
export interface FoundItem {
  readonly id: number;
  readonly kind: 'issue' | 'merge_request' | 'epic';
  /** As it is written from where the command stands: `#1`, `project#1`, `group/project#1`. */
  readonly reference: string;
  readonly projectId?: number;
  readonly labels?: readonly Titled[];
  readonly milestone?: Titled | null;
}

/** What was found, by what was written; things that do not exist and things the writer may not see are both missing. */
export interface Findings {
  readonly person: (username: string) => Person | undefined;
  readonly label: (name: string) => Titled | undefined;
  readonly milestone: (title: string) => Titled | undefined;
  readonly item: (reference: string) => FoundItem | undefined;
  readonly project: (path: string) => { readonly id: number; readonly fullPath: string } | undefined;
  readonly branch: (name: string) => boolean;
  readonly iteration: (reference: string) => Titled | undefined;
}

const kinds = ['usernames', 'labels', 'milestones', 'items', 'projects', 'branches', 'iterations'] as const;

/** Everything that several commands want, each thing once. */
export function wantedByAll(all: readonly Wanted[]): Required<Wanted> {
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

export const nothingFound: Findings = {
  person: () => undefined,
  label: () => undefined,
  milestone: () => undefined,
  item: () => undefined,
  project: () => undefined,
  branch: () => false,
  iteration: () => undefined,
};
