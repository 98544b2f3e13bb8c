import { presentToken } from '../../people/tokens/public.ts';
import type { ResourceTokenRow } from './list.ts';

/** Serializes a project or group access token. */
export function presentResourceToken(token: ResourceTokenRow) {
  const resource =
    token.bot_project_id === null
      ? { resource_type: 'group', resource_id: token.bot_namespace_id ?? 0 }
      : { resource_type: 'project', resource_id: token.bot_project_id };
  return { ...presentToken(token), access_level: token.access_level, ...resource };
}
