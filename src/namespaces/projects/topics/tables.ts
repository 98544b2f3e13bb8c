import type { Generated, Selectable } from 'kysely';

export interface TopicsTable {
  id: Generated<number>;
  name: string;
  title: string | null;
  description: string | null;
  avatar: string | null;
  total_projects_count: Generated<number>;
  created_at: number;
  updated_at: number;
}

export interface ProjectTopicsTable {
  project_id: number;
  topic_id: number;
}

export type TopicRow = Selectable<TopicsTable>;

declare module '../../../platform/database/tables.ts' {
  interface Tables {
    topics: TopicsTable;
    project_topics: ProjectTopicsTable;
  }
}
