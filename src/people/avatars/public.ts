export { type PictureRule, pictureProblems } from './rules.ts';
export { avatarUrl, changeAvatar, discardAvatar, isAvatarNamed, sendAvatar, storePicture } from './service.ts';
