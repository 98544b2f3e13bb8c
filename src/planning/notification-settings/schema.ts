import Type, { type Static } from 'typebox';
import { atLeastOneOf, type ParamsOf, param, required } from '../../platform/http/params.ts';
import { entity, nullable } from '../../platform/http/schema.ts';
import { levels, type NotificationEvent, notificationEvents } from './events.ts';

const fields = {
  level: Type.String(),
  events: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
};
export const NotificationSetting = entity('NotificationSetting', fields);
export const GlobalNotificationSetting = entity('GlobalNotificationSetting', {
  ...fields,
  notification_email: nullable(Type.String()),
});
export type NotificationSettingEntity = Static<typeof NotificationSetting>;
export type GlobalNotificationSettingEntity = Static<typeof GlobalNotificationSetting>;

export const place = { id: required(param.string({ description: 'ID or URL-encoded path of the project or group' })) };

type EventParams = Readonly<Record<NotificationEvent, ReturnType<typeof param.boolean>>>;
const events = Object.fromEntries(notificationEvents.map((event) => [event, param.boolean()])) as EventParams;
const chosen = { level: param.oneOf(levels), ...events };

export const globalChange = { ...chosen, notification_email: param.string() };
export const placeChange = { ...place, ...chosen };
export const globalRules = [atLeastOneOf('level', 'notification_email', ...notificationEvents)];
export const placeRules = [atLeastOneOf('level', ...notificationEvents)];

export type SettingChangeParams = ParamsOf<typeof chosen>;
export type GlobalChangeParams = ParamsOf<typeof globalChange>;
