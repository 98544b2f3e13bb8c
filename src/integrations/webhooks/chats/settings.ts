import Type from 'typebox';
import { storedJson } from '../../../platform/stored-json.ts';
import type { WebhookRow } from '../tables.ts';
import { branchChoices, type ChatSettings, labelChoices } from './kinds.ts';

const readSettings = storedJson(
  Type.Object({
    username: Type.Optional(Type.String()),
    channel: Type.Optional(Type.String()),
    channels: Type.Optional(Type.Record(Type.String(), Type.String())),
    notify_only_broken_pipelines: Type.Optional(Type.Boolean()),
    branches_to_be_notified: Type.Optional(Type.Enum([...branchChoices])),
    labels_to_be_notified: Type.Optional(Type.String()),
    labels_to_be_notified_behavior: Type.Optional(Type.Enum([...labelChoices])),
    hostname: Type.Optional(Type.String()),
    room: Type.Optional(Type.String()),
    thread: Type.Optional(Type.Integer()),
  }),
);

/** What was set for a chat. */
export function settingsOf({ settings }: Pick<WebhookRow, 'settings'>): ChatSettings {
  return settings === null ? {} : readSettings(settings);
}
