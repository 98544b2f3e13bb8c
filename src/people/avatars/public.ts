export { avatarUrl, changeAvatar, discardAvatar, isAvatarNamed, sendAvatar } from './service.ts';
