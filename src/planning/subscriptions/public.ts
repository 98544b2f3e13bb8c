export { subscribe } from './service.ts';
export { deleteSubscriptionsTo, setSubscription, subscriptionOf } from './store.ts';
