/** What people write about: it has notes, reactions, to-dos, subscribers and a record of its changes. */
export type TargetType = 'Issue' | 'MergeRequest' | 'Epic' | 'Snippet' | 'Commit' | 'WikiPage::Meta' | 'Note';

/** One of them, with the project or group that it belongs to: one of the two is null. */
export interface Target {
  readonly type: TargetType;
  readonly id: number;
  readonly project_id: number | null;
  readonly namespace_id: number | null;
}

/** The columns by which a row belongs to a target. */
export function targetColumns({ type, id, project_id, namespace_id }: Target) {
  return { target_type: type, target_id: id, project_id, namespace_id };
}
