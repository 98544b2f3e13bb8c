import type { BroadcastMessage, User } from '../../access/tables.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A message was made, changed or deleted; `before` is what it was before a change. */
    'broadcast-message.changed': {
      readonly action: 'created' | 'updated' | 'deleted';
      readonly message: BroadcastMessage;
      readonly before?: BroadcastMessage;
      readonly by: User;
    };
  }
}
