import Type, { type Static } from 'typebox';
import { nullAsBlank, nullable as orNull, type ParamsOf, param, required } from '../../../platform/http/params.ts';
import { entity, nullable, timestamp } from '../../../platform/http/schema.ts';
import { filterStrategies } from '../branch-filter.ts';
import { type EventSwitch, groupSwitches, projectSwitches, systemSwitches } from '../events.ts';

const Key = Type.Object({ key: Type.String() });
const flags = (names: readonly EventSwitch[]) => Object.fromEntries(names.map((name) => [name, Type.Boolean()]));

const shared = {
  id: Type.Integer(),
  url: Type.String(),
  name: Type.String(),
  description: Type.String(),
  created_at: timestamp(),
  ...flags(systemSwitches),
  enable_ssl_verification: Type.Boolean(),
  organization_id: Type.Optional(Type.Integer()),
  alert_status: Type.String(),
  disabled_until: nullable(timestamp()),
  url_variables: Type.Optional(Type.Array(Key)),
  push_events_branch_filter: nullable(Type.String()),
  branch_filter_strategy: Type.String(),
  custom_webhook_template: nullable(Type.String()),
  custom_headers: Type.Optional(Type.Array(Key)),
  token_present: Type.Boolean(),
  signing_token_present: Type.Boolean(),
};

export const SystemHook = entity('SystemHook', { ...shared });
export const ProjectHook = entity('ProjectHook', {
  ...shared,
  project_id: Type.Integer(),
  ...flags(projectSwitches),
});
export const GroupHook = entity('GroupHook', { ...shared, group_id: Type.Integer(), ...flags(groupSwitches) });
export type HookEntity = Static<typeof SystemHook> & { project_id?: number; group_id?: number } & {
  [K in EventSwitch]?: boolean;
};

const secrets = () => param.hashes({ key: required(param.string()), value: required(param.string()) });

const settings = {
  name: nullAsBlank(param.string()),
  description: nullAsBlank(param.string()),
  enable_ssl_verification: param.boolean(),
  token: orNull(param.string()),
  signing_token: orNull(param.string({ description: 'Key that signs deliveries: `whsec_` and 32 bytes in Base64' })),
  push_events_branch_filter: orNull(param.string()),
  branch_filter_strategy: param.oneOf(filterStrategies),
  custom_webhook_template: orNull(param.string()),
  url_variables: secrets(),
  custom_headers: secrets(),
};
type Flags<N extends EventSwitch> = Record<N, ReturnType<typeof param.boolean>>;
const switches = <N extends EventSwitch>(names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, param.boolean()])) as Flags<N>;

const owner = { id: required(param.string({ description: 'ID or URL-encoded path' })) };
const hook = { hook_id: required(param.integer()) };
const newUrl = { url: required(param.string()) };
const otherUrl = { url: param.string() };
const key = { key: required(param.string()) };
const value = { value: required(param.string()) };

const projectSettings = { ...settings, ...switches(projectSwitches) };
const groupSettings = { ...settings, ...switches(groupSwitches) };
const systemSettings = { ...settings, ...switches(systemSwitches) };

export const places = {
  hooks: { ...owner },
  hook: { ...owner, ...hook },
  secret: { ...owner, ...hook, ...key },
  secretValue: { ...owner, ...hook, ...key, ...value },
};
export const systemHookParams = {
  hook: { ...hook },
  secret: { ...hook, ...key },
  secretValue: { ...hook, ...key, ...value },
};

export const newProjectHook = { ...owner, ...newUrl, ...projectSettings };
export const projectHookChange = { ...owner, ...hook, ...otherUrl, ...projectSettings };
export const newGroupHook = { ...owner, ...newUrl, ...groupSettings };
export const groupHookChange = { ...owner, ...hook, ...otherUrl, ...groupSettings };
export const newSystemHook = { ...newUrl, ...systemSettings };
export const systemHookChange = { ...hook, ...otherUrl, ...systemSettings };

/** The parameters common to all kinds of webhooks. */
export type HookChange = ParamsOf<typeof settings> & { readonly url?: string } & {
  readonly [K in EventSwitch]?: boolean;
};
export type NewHook = HookChange & { readonly url: string };
