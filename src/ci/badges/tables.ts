import type { Generated, Selectable } from 'kysely';

/** An image with a link shown on a project, or on every project of a group. */
export interface BadgesTable {
  id: Generated<number>;
  project_id: number | null;
  namespace_id: number | null;
  name: string | null;
  /** Both URLs may contain placeholders such as `%{project_path}`. */
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
