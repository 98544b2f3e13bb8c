import type { Generated, Selectable } from 'kysely';

/** A picture with a link that a project, or every project of a group, shows. */
export interface BadgesTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  name: string | null;
  /** Both may hold placeholders such as `%{project_path}`. */
  link_url: string;
  image_url: string;
  created_at: number;
  updated_at: number;
}

export type BadgeRow = Selectable<BadgesTable>;

declare module '../../platform/database/tables.ts' {
  interface Tables {
    badges: BadgesTable;
  }
}
