import type { Day } from './dates.ts';

/**
 * The combined changes of a text's commands, named as in `commands_changes`. The area of the item applies them like an
 * API update.
 */
export interface Changes {
  state_event?: 'close' | 'reopen';
  title?: string;
  assignee_ids?: number[];
  reviewer_ids?: number[];
  request_review_ids?: number[];
  label_ids?: number[];
  add_label_ids?: number[];
  remove_label_ids?: number[];
  milestone_id?: number | null;
  target_branch?: string;
  due_date?: Day | null;
  time_estimate?: number;
  spend_time?: { duration: number | 'reset'; user_id: number; spent_at?: string; category?: string };
  todo_event?: 'add' | 'done';
  subscription_event?: 'subscribe' | 'unsubscribe';
  emoji_award?: string;
  discussion_locked?: boolean;
  confidential?: boolean;
  severity?: string;
  canonical_issue_id?: number;
  relate_issue_ids?: number[];
  unlink_issue_ids?: number[];
  blocks_issue_ids?: number[];
  blocked_by_issue_ids?: number[];
  target_project_id?: number;
  target_clone_project_id?: number;
  clone_with_notes?: boolean;
  board_move?: number;
  create_merge_request?: { branch_name?: string };
  issue_type?: string;
  promote_to_epic?: boolean;
  weight?: number | null;
  iteration_id?: number | null;
  health_status?: string | null;
  parent_id?: number | null;
  add_child_ids?: number[];
  remove_child_ids?: number[];
  merge?: boolean;
  rebase?: boolean;
  wip_event?: 'draft' | 'ready';
  approve?: boolean;
  unapprove?: boolean;
  request_changes?: boolean;
  submit_review?: boolean;
  run_pipeline?: boolean;
  tag_name?: string;
  tag_message?: string;
  timeline_text?: string;
  zoom_link?: string | null;
  add_emails?: string[];
  remove_emails?: string[];
  add_contacts?: string[];
  remove_contacts?: string[];
}
