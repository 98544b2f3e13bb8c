import { type Command, command, issueKinds, nounOf } from '../command.ts';

const capitalized = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

/** Commands for issues only. */
export const issueCommands: readonly Command[] = [
  command({
    name: 'move',
    on: issueKinds,
    right: 'move',
    argument: 'text',
    wants: (path) => ({ projects: [path] }),
    run: (path, { found }, changes) => {
      const project = found.project(path);
      if (project === undefined) return { failure: "Failed to move this issue because target project doesn't exist" };
      changes.target_project_id = project.id;
      return `Moved this issue to ${project.fullPath}.`;
    },
  }),
  command({
    name: 'clone',
    on: issueKinds,
    right: 'move',
    argument: 'maybeText',
    wants: (text) => ({ projects: text.split(/\s+/).filter((word) => word !== '' && !word.startsWith('--')) }),
    run: (text, { found }, changes) => {
      const words = text.split(/\s+/).filter((word) => word !== '');
      const paths = words.filter((word) => !word.startsWith('--'));
      const project = found.project(paths[0] ?? '');
      if (project === undefined || paths.length > 1) {
        return { failure: "Failed to clone this issue because target project doesn't exist" };
      }
      changes.target_clone_project_id = project.id;
      changes.clone_with_notes = words.includes('--with_notes');
      return `Cloned this issue to ${project.fullPath}.`;
    },
  }),
  command({
    name: 'create_merge_request',
    on: issueKinds,
    right: 'create_merge_request',
    argument: 'maybeText',
    run: (branch, _, changes) => {
      changes.create_merge_request = branch ? { branch_name: branch.replace(/\s+/g, '-') } : {};
      return branch
        ? `Created branch '${branch.replace(/\s+/g, '-')}' and a merge request to resolve this issue.`
        : 'Created a branch and a merge request to resolve this issue.';
    },
  }),
  command({
    name: 'severity',
    on: ['incident'],
    right: 'admin',
    argument: 'severity',
    run: (severity, _, changes) => {
      changes.severity = severity;
      return `Severity updated to ${capitalized(severity)}.`;
    },
  }),
  command({
    name: 'promote',
    on: ['issue'],
    right: 'promote',
    argument: 'none',
    run: (_, __, changes) => {
      changes.promote_to_epic = true;
      return 'Promoted issue to an epic.';
    },
  }),
  command({
    name: 'promote_to_incident',
    on: ['issue'],
    right: 'update',
    argument: 'none',
    run: (_, __, changes) => {
      changes.issue_type = 'incident';
      return 'Issue has been promoted to incident.';
    },
  }),
  command({
    name: 'type',
    on: issueKinds,
    right: 'update',
    argument: 'text',
    run: (text, { subject }, changes) => {
      const type = ['issue', 'incident', 'task'].find((name) => name === text.toLowerCase());
      if (type === undefined) return { failure: 'Provided type is not supported' };
      if (type === subject.kind) return { failure: `Types are the same` };
      changes.issue_type = type;
      return 'Type changed successfully.';
    },
  }),
  command({
    name: 'promote_to',
    on: ['task', 'issue'],
    right: 'promote',
    argument: 'text',
    run: (text, { subject }, changes) => {
      const type = text.toLowerCase();
      if (subject.kind === 'issue' && type === 'epic') changes.promote_to_epic = true;
      else if (subject.kind === 'issue' && type === 'incident') changes.issue_type = 'incident';
      else if (subject.kind === 'task' && type === 'issue') changes.issue_type = 'issue';
      else return { failure: 'Provided type is not supported' };
      return 'Promoted successfully.';
    },
  }),
  command({
    name: 'timeline',
    on: ['incident'],
    right: 'admin',
    argument: 'text',
    run: (text, _, changes) => {
      changes.timeline_text = text;
      return 'Timeline event added successfully.';
    },
  }),
  command({
    name: 'zoom',
    on: issueKinds,
    right: 'update',
    argument: 'text',
    run: (text, _, changes) => {
      const link = /\bhttps:\/\/(?:[\w-]{1,63}\.)?zoom\.us\/(?:j|my|s)\/\S+/.exec(text)?.[0];
      if (link === undefined) return { failure: 'Failed to add a Zoom meeting' };
      changes.zoom_link = link;
      return 'Zoom meeting added.';
    },
  }),
  command({
    name: 'remove_zoom',
    on: issueKinds,
    right: 'update',
    argument: 'none',
    run: (_, __, changes) => {
      changes.zoom_link = null;
      return 'Zoom meeting removed.';
    },
  }),
  ...(['add', 'remove'] as const).flatMap((verb) => [
    command({
      name: `${verb}_email`,
      on: issueKinds,
      right: 'admin',
      argument: 'emails',
      run: (emails, context, changes) => {
        changes[`${verb}_emails`] = [...emails];
        const joint = verb === 'add' ? 'to' : 'from';
        return `${verb === 'add' ? 'Added' : 'Removed'} ${emails.join(' ')} ${joint} this ${nounOf(context)}.`;
      },
    }),
    command({
      name: `${verb}_contacts`,
      on: issueKinds,
      right: 'set_metadata',
      argument: 'text',
      run: (text, _, changes) => {
        const words = text.split(/\s+/);
        const emails = words.flatMap((word) => {
          const named = [...word.matchAll(/\[contact:([^\][]+)\]/g)].map(([, contact = '']) => contact);
          return named.length === 0 && /.@./.test(word) ? [word] : named;
        });
        if (emails.length === 0) return undefined;
        changes[`${verb}_contacts`] = emails;
        return `One or more contacts were successfully ${verb === 'add' ? 'added' : 'removed'}.`;
      },
    }),
  ]),
];
