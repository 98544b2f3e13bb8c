export { type PictureRule, pictureProblems } from './rules.ts';
export {
  avatarUrl,
  changeAvatar,
  discardAvatar,
  isAvatarNamed,
  openAvatar,
  sendAvatar,
  storePicture,
} from './service.ts';
