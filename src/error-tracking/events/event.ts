/** How bad an event is. */
export const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const;
export type Level = (typeof levels)[number];

/** Any value that JSON has. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** One call of a stack. */
export interface Frame {
  filename: string | null;
  abs_path: string | null;
  module: string | null;
  function: string | null;
  package: string | null;
  lineno: number | null;
  colno: number | null;
  in_app: boolean;
  context_line: string | null;
  pre_context: (string | null)[];
  post_context: (string | null)[];
  vars: JsonObject | null;
}

export interface Mechanism {
  type: string | null;
  /** False for a crash. */
  handled: boolean | null;
  /** The type was made up by the SDK and says nothing. */
  synthetic: boolean;
}

export interface Exception {
  type: string | null;
  value: string | null;
  module: string | null;
  mechanism: Mechanism | null;
  /** The oldest call first; the last is where it was raised. */
  frames: Frame[];
}

export interface Message {
  formatted: string;
  /** The text before its parameters were filled in. */
  template: string | null;
  params: Json;
}

export interface Breadcrumb {
  /** In milliseconds. */
  timestamp: number | null;
  type: string | null;
  category: string | null;
  level: string | null;
  message: string | null;
  data: JsonObject | null;
}

/** Who met the error. */
export interface EventUser extends JsonObject {
  id: string | null;
  username: string | null;
  email: string | null;
  ip_address: string | null;
}

/** An event as it is kept: whatever SDK sent it, of one shape, with secrets taken out. */
export interface TrackedEvent {
  /** 32 hexadecimal digits. */
  event_id: string;
  /** In milliseconds, after the correction of a wrong clock. */
  timestamp: number;
  received_at: number;
  level: Level;
  platform: string;
  environment: string;
  release: string | null;
  dist: string | null;
  logger: string | null;
  server_name: string | null;
  transaction: string | null;
  message: Message | null;
  /** The root cause first; the last is what was thrown. Empty for a message. */
  exceptions: Exception[];
  /** The stack of a message: an exception has its own. */
  frames: Frame[];
  breadcrumbs: Breadcrumb[];
  tags: Record<string, string>;
  user: EventUser | null;
  request: JsonObject | null;
  contexts: JsonObject | null;
  extra: JsonObject | null;
  modules: JsonObject | null;
  sdk: { name: string | null; version: string | null };
  fingerprint: string[];
}

/** The exception that an event is about: the one that was thrown. */
export function mainException(event: TrackedEvent): Exception | undefined {
  return event.exceptions.at(-1);
}

/** The stack that is shown: of the last exception that has one, else of the message. */
export function mainFrames(event: TrackedEvent): Frame[] {
  return event.exceptions.findLast(({ frames }) => frames.length > 0)?.frames ?? event.frames;
}
