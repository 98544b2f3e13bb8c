export { subscribe } from './service.ts';
export { copySubscriptions, deleteSubscriptionsTo, setSubscription, subscriptionOf } from './store.ts';
