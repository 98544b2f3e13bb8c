import type { Generated, Selectable } from 'kysely';

interface ResourceEvent {
  id: Generated<number>;
  target_type: string;
  target_id: number;
  project_id: number | null;
  namespace_id: number | null;
  user_id: number;
  created_at: number;
}

export interface ResourceLabelEventsTable extends ResourceEvent {
  /** Null once the label is deleted. */
  label_id: number | null;
  action: 'add' | 'remove';
}

export interface ResourceStateEventsTable extends ResourceEvent {
  state: 'opened' | 'closed' | 'reopened' | 'merged' | 'locked';
  source_commit: string | null;
  source_merge_request_id: number | null;
}

export interface ResourceMilestoneEventsTable extends ResourceEvent {
  milestone_id: number | null;
  action: 'add' | 'remove';
  /** State of the target at that time. */
  state: string;
}

export interface ResourceWeightEventsTable extends ResourceEvent {
  weight: number | null;
}

export type LabelEventRow = Selectable<ResourceLabelEventsTable>;
export type StateEventRow = Selectable<ResourceStateEventsTable>;
export type MilestoneEventRow = Selectable<ResourceMilestoneEventsTable>;
export type WeightEventRow = Selectable<ResourceWeightEventsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    resource_label_events: ResourceLabelEventsTable;
    resource_state_events: ResourceStateEventsTable;
    resource_milestone_events: ResourceMilestoneEventsTable;
    resource_weight_events: ResourceWeightEventsTable;
  }
}
