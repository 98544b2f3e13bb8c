export { deleteSubscriptionsTo, setSubscription, subscriptionOf } from './store.ts';
