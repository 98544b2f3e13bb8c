import type { Reader } from '../../../platform/database/database.ts';
import * as rows from '../relation-store.ts';
import { approvalRules, badges, protectedEnvironments, pushRule, schedules } from './configuration.ts';
import { commitNotes } from './notes.ts';
import { pipelines } from './pipelines.ts';
import { branches, features, members, releases, snippets, tags } from './places.ts';
import { boards, issueLinks, issues, labels, milestones } from './planning.ts';
import { mergeRequests } from './requests.ts';
import type { Line, Relation } from './walk.ts';

const inProject = (project_id: number) => ({ project_id, namespace_id: null });

/** In the order in which they are imported. */
export const relations: readonly Relation[] = [
  { name: 'labels', lines: (services, id) => labels(services, inProject(id)) },
  { name: 'milestones', lines: (services, id) => milestones(services, inProject(id)) },
  { name: 'issues', lines: issues },
  { name: 'issue_links', lines: issueLinks },
  { name: 'boards', lines: (services, id) => boards(services, inProject(id)) },
  { name: 'merge_requests', lines: mergeRequests },
  { name: 'releases', lines: releases },
  { name: 'snippets', lines: snippets },
  { name: 'commit_notes', lines: commitNotes },
  { name: 'ci_pipelines', lines: pipelines },
  { name: 'pipeline_schedules', lines: schedules },
  { name: 'protected_branches', lines: branches },
  { name: 'protected_tags', lines: tags },
  { name: 'protected_environments', lines: protectedEnvironments },
  { name: 'approval_rules', lines: approvalRules },
  { name: 'push_rule', lines: pushRule },
  { name: 'project_badges', lines: badges },
  { name: 'project_feature', lines: features },
  { name: 'project_members', lines: members },
];

/** Public attributes of users with these IDs. */
export async function* contributors(db: Reader, ids: ReadonlySet<number>): AsyncGenerator<Line, void> {
  const list = [...ids];
  for (let at = 0; at < list.length; at += 500) yield* await rows.usersOf(db, list.slice(at, at + 500));
}

const people = /^(?:author|user|closed_by|merge_user|merged_by|latest_closed_by|resolved_by|updated_by)_id$/;

/** Collects the user IDs in a line. */
export function collectPeople(value: unknown, into: Set<number>): void {
  if (Array.isArray(value)) for (const item of value) collectPeople(item, into);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'number' && people.test(key)) into.add(inner);
      else collectPeople(inner, into);
    }
  }
}
