export interface SubscriptionsTable {
  user_id: number;
  target_type: string;
  target_id: number;
  project_id: number | null;
  namespace_id: number | null;
  /** 0 for an explicit unsubscription, which persists when the user is mentioned. */
  subscribed: number;
}

declare module '../../platform/database/tables.ts' {
  interface Tables {
    subscriptions: SubscriptionsTable;
  }
}
