import type { Generated, Selectable } from 'kysely';

export const issueTypes = ['issue', 'incident', 'test_case', 'task'] as const;
export type IssueType = (typeof issueTypes)[number];

export const severities = ['unknown', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

export interface IssuesTable {
  id: Generated<number>;
  iid: number;
  project_id: number;
  title: string;
  /** Null if never set, empty if cleared. */
  description: string | null;
  state: Generated<'opened' | 'closed'>;
  issue_type: Generated<IssueType>;
  confidential: Generated<number>;
  /** Null until first set. */
  discussion_locked: Generated<number | null>;
  author_id: number;
  closed_by_id: Generated<number | null>;
  closed_at: Generated<number | null>;
  updated_by_id: Generated<number | null>;
  last_edited_by_id: Generated<number | null>;
  last_edited_at: Generated<number | null>;
  milestone_id: Generated<number | null>;
  /** Copy of the milestone's due date, for sorting. */
  milestone_due_date: Generated<string | null>;
  /** Smallest priority among the labels, for sorting; null if no label is prioritized. */
  label_priority: Generated<number | null>;
  start_date: Generated<string | null>;
  due_date: Generated<string | null>;
  weight: Generated<number | null>;
  health_status: Generated<'on_track' | 'needs_attention' | 'at_risk' | null>;
  severity: Generated<Severity>;
  epic_id: Generated<number | null>;
  iteration_id: Generated<number | null>;
  relative_position: Generated<number | null>;
  moved_to_id: Generated<number | null>;
  duplicated_to_id: Generated<number | null>;
  /** In seconds. */
  time_estimate: Generated<number>;
  total_time_spent: Generated<number>;
  user_notes_count: Generated<number>;
  upvotes: Generated<number>;
  downvotes: Generated<number>;
  blocking_issues_count: Generated<number>;
  /** Whether the issue has labels or assignees, for filters; both maintained by triggers. */
  labelled: Generated<number>;
  assigned: Generated<number>;
  imported_from: Generated<string>;
  created_at: number;
  updated_at: number;
}

export interface IssueAssigneesTable {
  issue_id: number;
  user_id: number;
  /** Copied from the issue, for lists. */
  project_id: number;
  /** Also copied from the issue; both maintained by triggers. */
  confidential: Generated<number>;
  state: Generated<'opened' | 'closed'>;
}

export interface IssueLabelsTable {
  issue_id: number;
  label_id: number;
  /** Copied from the issue, for lists. */
  project_id: number;
  /** Also copied from the issue; both maintained by triggers. */
  confidential: Generated<number>;
  state: Generated<'opened' | 'closed'>;
}

export interface IssueLinksTable {
  id: Generated<number>;
  source_id: number;
  target_id: number;
  link_type: 'relates_to' | 'blocks';
  created_at: number;
  updated_at: number;
}

export interface IssueMetricImagesTable {
  id: Generated<number>;
  /** Null after removal, until the file is deleted too. */
  issue_id: number | null;
  /** Path below the uploads directory: `<random>/<name>`. */
  file: string;
  url: string | null;
  url_text: string | null;
  created_at: number;
}

export type IssueRow = Selectable<IssuesTable>;
export type IssueLinkRow = Selectable<IssueLinksTable>;
export type MetricImageRow = Selectable<IssueMetricImagesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    issues: IssuesTable;
    issue_assignees: IssueAssigneesTable;
    issue_labels: IssueLabelsTable;
    issue_links: IssueLinksTable;
    issue_metric_images: IssueMetricImagesTable;
  }
}
