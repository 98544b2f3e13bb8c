import type { Generated, Selectable } from 'kysely';

export interface LabelsTable {
  id: Generated<number>;
  namespace_id: number | null;
  project_id: number | null;
  title: string;
  color: string;
  description: string | null;
  archived: Generated<number>;
  created_at: number;
  updated_at: number;
}

export interface LabelPrioritiesTable {
  label_id: number;
  project_id: number;
  priority: number;
}

export interface LabelSubscriptionsTable {
  label_id: number;
  user_id: number;
}

export type LabelRow = Selectable<LabelsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    labels: LabelsTable;
    label_priorities: LabelPrioritiesTable;
    label_subscriptions: LabelSubscriptionsTable;
  }
}

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    'label.removed': { readonly labelId: number };
    /** A project changed or removed the priority of a label. */
    'label.ranked': { readonly labelId: number; readonly projectId: number };
    /** Several labels are about to be merged: items that have any of them get the remaining one. */
    'label.merged': { readonly labelIds: readonly number[]; readonly intoId: number };
  }
}
