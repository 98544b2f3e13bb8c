export { type PictureRule, pictureProblems } from './rules.ts';
export {
  avatarUrl,
  changeAvatar,
  claimPicture,
  discardAvatar,
  discardPicture,
  isAvatarNamed,
  openAvatar,
  sendAvatar,
  storePicture,
} from './service.ts';
