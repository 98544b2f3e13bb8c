/** Event actions, as used by the `action` filter. */
export type EventAction =
  | 'approved'
  | 'closed'
  | 'commented'
  | 'created'
  | 'destroyed'
  | 'expired'
  | 'imported'
  | 'joined'
  | 'left'
  | 'merged'
  | 'pushed'
  | 'reopened'
  | 'updated';

/** Types of event targets, as exposed by the API. */
export type TargetType =
  | 'Issue'
  | 'Milestone'
  | 'MergeRequest'
  | 'Note'
  | 'DiffNote'
  | 'DiscussionNote'
  | 'Project'
  | 'Snippet'
  | 'User'
  | 'WikiPage::Meta'
  | 'DesignManagement::Design'
  | 'Epic';

/**
 * Who may see an event, in addition to having read access to its project. `project`: everyone with that access.
 * `confidential` and `internal`: those who may read confidential issues or internal notes. The others: those who may
 * read that feature.
 */
export type Audience =
  | 'project'
  | 'code'
  | 'issues'
  | 'merge_requests'
  | 'snippets'
  | 'wiki'
  | 'confidential'
  | 'internal';

/** Additional data of push events. */
export interface PushData {
  readonly action: 'created' | 'pushed' | 'removed';
  readonly refType: 'branch' | 'tag';
  /** Short ref name; null when the event covers several refs. */
  readonly ref: string | null;
  readonly refCount: number | null;
  readonly commitCount: number;
  readonly commitFrom: string | null;
  readonly commitTo: string | null;
  readonly commitTitle: string | null;
}

/** An event to record. */
export interface NewEvent {
  readonly projectId: number | null;
  readonly namespaceId?: number | null;
  readonly authorId: number | null;
  readonly action: EventAction;
  readonly audience: Audience;
  readonly target?: {
    readonly type: TargetType;
    readonly id: number;
    readonly iid?: number | null;
    readonly title?: string | null;
  };
  readonly push?: PushData;
  readonly importedFrom?: string;
  readonly at?: number;
}

const titles: Readonly<Record<EventAction, string>> = {
  approved: 'approved',
  closed: 'closed',
  commented: 'commented on',
  created: 'opened',
  destroyed: 'destroyed',
  expired: 'removed due to membership expiration from',
  imported: 'imported',
  joined: 'joined',
  left: 'left',
  merged: 'accepted',
  pushed: 'pushed to',
  reopened: 'opened',
  updated: 'updated',
};
const createdTargets: ReadonlySet<string | null> = new Set([
  'WikiPage::Meta',
  'DesignManagement::Design',
  'Project',
  null,
]);

/**
 * Action name as exposed by the API. For pushes it depends on the change to the ref, for creations on the target type.
 */
export function actionName(event: {
  readonly action: EventAction;
  readonly target_type: string | null;
  readonly push_action: string | null;
}): string {
  if (event.action === 'pushed') {
    if (event.push_action === 'created') return 'pushed new';
    return event.push_action === 'removed' ? 'deleted' : 'pushed to';
  }
  if (event.action === 'created' && createdTargets.has(event.target_type)) return 'created';
  return titles[event.action];
}
