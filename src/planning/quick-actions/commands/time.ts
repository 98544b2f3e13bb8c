import { formatDuration } from '../../time-tracking/public.ts';
import { type Command, command, issuableKinds } from '../command.ts';

/** Commands for time tracking. */
export const timeCommands: readonly Command[] = [
  command({
    name: 'estimate',
    aliases: ['estimate_time'],
    on: issuableKinds,
    right: 'track_time',
    argument: 'duration',
    run: (seconds, { hoursOnly }, changes) => {
      if (seconds < 0) return undefined;
      changes.time_estimate = seconds;
      return seconds === 0
        ? 'Removed time estimate.'
        : `Set time estimate to ${formatDuration(seconds, { hoursOnly })}.`;
    },
  }),
  command({
    name: 'remove_estimate',
    aliases: ['remove_time_estimate'],
    on: issuableKinds,
    right: 'track_time',
    argument: 'none',
    run: (_, __, changes) => {
      changes.time_estimate = 0;
      return 'Removed time estimate.';
    },
  }),
  command({
    name: 'spend',
    aliases: ['spent', 'spend_time'],
    on: issuableKinds,
    right: 'track_time',
    argument: 'spending',
    run: ({ seconds, day, category }, { writer, now, hoursOnly }, changes) => {
      changes.spend_time = {
        duration: seconds,
        user_id: writer.id,
        spent_at: day ?? now.toISOString(),
        ...(category && { category }),
      };
      return `${seconds > 0 ? 'Added' : 'Subtracted'} ${formatDuration(Math.abs(seconds), { hoursOnly })} spent time.`;
    },
  }),
  command({
    name: 'remove_time_spent',
    on: issuableKinds,
    right: 'track_time',
    argument: 'none',
    run: (_, { writer }, changes) => {
      changes.spend_time = { duration: 'reset', user_id: writer.id };
      return 'Removed spent time.';
    },
  }),
];
