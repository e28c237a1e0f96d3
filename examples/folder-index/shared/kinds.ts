/** The kind of a file, by its extension, and how urgent its indexing is. */
import { extname } from 'node:path';

export type Kind = 'document' | 'image' | 'audio' | 'video' | 'code' | 'data' | 'archive' | 'other';

const EXTENSIONS: Record<Exclude<Kind, 'other'>, string> = {
  document: 'txt md rst pdf doc docx odt rtf tex html htm epub xls xlsx ods csv ppt pptx odp',
  image: 'png jpg jpeg gif webp avif svg bmp tif tiff heic ico',
  audio: 'mp3 wav flac ogg opus m4a aac',
  video: 'mp4 mkv mov webm avi m4v',
  code: 'ts tsx js jsx mjs cjs mts cts py rb go rs c h cc cpp hpp java kt swift cs php sh css scss sql lua',
  data: 'json jsonl xml yaml yml toml ini db sqlite parquet',
  archive: 'zip tar gz tgz bz2 xz zst 7z rar jar',
};

/** Each folder is a group. The first file published to a group sets the priority of the group. */
const PRIORITIES: Record<Kind, number> = {
  document: 4,
  image: 3,
  code: 2,
  data: 2,
  audio: 1,
  video: 1,
  archive: 1,
  other: 0,
};

const kinds = new Map(
  Object.entries(EXTENSIONS).flatMap(([kind, extensions]) =>
    extensions.split(' ').map((extension) => [extension, kind as Kind] as const),
  ),
);

export function kindOf(path: string): Kind {
  return kinds.get(extname(path).slice(1).toLowerCase()) ?? 'other';
}

export function priorityOf(path: string): number {
  return PRIORITIES[kindOf(path)];
}
