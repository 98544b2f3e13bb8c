import type { Generated, Selectable } from 'kysely';

export interface EpicsTable {
  id: Generated<number>;
  iid: number;
  namespace_id: number;
  parent_id: Generated<number | null>;
  /** Position among the children of the parent. */
  relative_position: Generated<number | null>;
  title: string;
  description: string | null;
  state: Generated<'opened' | 'closed'>;
  confidential: Generated<number>;
  color: string;
  author_id: number;
  closed_by_id: Generated<number | null>;
  closed_at: Generated<number | null>;
  /** Dates in the format YYYY-MM-DD, used if marked as fixed; otherwise the dates of the milestones apply. */
  start_date_fixed: Generated<string | null>;
  start_date_is_fixed: Generated<number>;
  due_date_fixed: Generated<string | null>;
  due_date_is_fixed: Generated<number>;
  upvotes: Generated<number>;
  downvotes: Generated<number>;
  imported_from: Generated<string>;
  created_at: number;
  updated_at: number;
}

export interface EpicLabelsTable {
  epic_id: number;
  label_id: number;
}

export interface EpicIssuesTable {
  id: Generated<number>;
  epic_id: number;
  issue_id: number;
  relative_position: number;
}

export interface EpicLinksTable {
  id: Generated<number>;
  source_id: number;
  target_id: number;
  link_type: 'relates_to' | 'blocks';
  created_at: number;
  updated_at: number;
}

export interface PromotedIssuesTable {
  issue_id: number;
  epic_id: number;
}

export type EpicRow = Selectable<EpicsTable>;
export type EpicIssueRow = Selectable<EpicIssuesTable>;
export type EpicLinkRow = Selectable<EpicLinksTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    epics: EpicsTable;
    epic_labels: EpicLabelsTable;
    epic_issues: EpicIssuesTable;
    epic_links: EpicLinksTable;
    promoted_issues: PromotedIssuesTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** An epic was created, updated, closed or reopened. */
    'epic.changed': {
      readonly action: 'open' | 'update' | 'close' | 'reopen';
      readonly actorId: number;
      readonly before?: EpicRow;
      readonly after: EpicRow;
    };
    'epic.removed': { readonly epic: EpicRow; readonly actorId: number };
  }
}
