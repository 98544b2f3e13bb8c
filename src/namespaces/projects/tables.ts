import type { Generated, Selectable } from 'kysely';

export interface StarsTable {
  user_id: number;
  project_id: number;
  created_at: number;
}

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

export interface ProjectLanguagesTable {
  project_id: number;
  name: string;
  bytes: number;
}

export interface UploadsTable {
  id: Generated<number>;
  project_id: number | null;
  secret: string;
  filename: string;
  storage_key: string;
  content_type: string;
  size: number;
  uploaded_by_id: number | null;
  created_at: number;
}

export interface ProjectFetchesTable {
  project_id: number;
  day: number;
  count: number;
}

export type TopicRow = Selectable<TopicsTable>;
export type UploadRow = Selectable<UploadsTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    stars: StarsTable;
    topics: TopicsTable;
    project_topics: ProjectTopicsTable;
    project_languages: ProjectLanguagesTable;
    uploads: UploadsTable;
    project_fetches: ProjectFetchesTable;
  }
}
