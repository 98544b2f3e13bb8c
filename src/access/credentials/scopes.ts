import Type from 'typebox';
import { storedJson } from '../../platform/stored-json.ts';

/** The scopes of personal, project and group access tokens. */
export const tokenScopes = [
  'api',
  'read_api',
  'read_user',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'create_runner',
  'manage_runner',
  'self_rotate',
  'ai_features',
  'k8s_proxy',
  'read_virtual_registry',
  'write_virtual_registry',
  'read_service_ping',
  'sudo',
  'admin_mode',
] as const;

/** Parses the stored scopes of a token. */
export const readScopes = storedJson(Type.Array(Type.String()));

/** Scopes reserved to tokens of administrators. */
export const adminScopes: ReadonlySet<string> = new Set(['sudo', 'admin_mode', 'read_service_ping']);
/** The scopes of project and group access tokens. */
export const resourceTokenScopes = tokenScopes.filter((scope) => scope !== 'read_user' && !adminScopes.has(scope));

/** Whether the scopes of a token allow an operation. `extra` are the operation's own scopes. */
export function scopesCover(held: ReadonlySet<string>, method: string, extra: readonly string[] = []): boolean {
  if (held.has('api')) return true;
  const reads = method === 'GET' || method === 'HEAD';
  if (reads && held.has('read_api')) return true;
  return extra.some((scope) => scope === 'any' || held.has(scope));
}

/** The scopes named in the error response: the operation's own first. */
export function scopesNamed(extra: readonly string[] = []): string[] {
  return [...extra, 'api', 'read_api'];
}

/** What a token may do with Git; the same for HTTP, SSH and LFS. */
export function gitScopes(held: ReadonlySet<string>): { pull: boolean; push: boolean } {
  const push = held.has('api') || held.has('write_repository');
  return { push, pull: push || held.has('read_api') || held.has('read_repository') };
}
