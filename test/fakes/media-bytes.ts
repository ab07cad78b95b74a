/** The beginnings of an Ogg, a PNG and an MP3 file with a few bytes more, in base64. */
export const OGG = btoa("OggS\0a few words");
export const PNG = btoa("\x89PNG\r\n\x1a\na picture");
export const MP3 = btoa("ID3\x04a few words");
