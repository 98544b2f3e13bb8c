import type { BroadcastMessage, User } from '../../access/tables.ts';

declare module '../../platform/domain-events.ts' {
  interface DomainEvents {
    /** A message was created, updated or deleted; `before` is set for updates. */
    'broadcast-message.changed': {
      readonly action: 'created' | 'updated' | 'deleted';
      readonly message: BroadcastMessage;
      readonly before?: BroadcastMessage;
      readonly by: User;
    };
  }
}
