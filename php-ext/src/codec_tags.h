// The first byte of each element of the array codec. docs/codec.md is the grammar.
#pragma once

#include <cstdint>

namespace coppice::php::tag {

// The first byte of a document.
inline constexpr std::uint8_t kPlain = 0x01;       // an array without shapes
inline constexpr std::uint8_t kWithShapes = 0x02;  // varint length, shapes, then the array

// 0x00 … 0x7f: the integers 0 … 127
inline constexpr std::uint8_t kShortString = 0x80;  // + length 0 … 31
inline constexpr std::uint8_t kPositive = 0xa0;     // + bytes - 1; little-endian
inline constexpr std::uint8_t kNegative = 0xa8;     // + bytes - 1; -1 - n, little-endian
inline constexpr std::uint8_t kNull = 0xb0;
inline constexpr std::uint8_t kFalse = 0xb1;
inline constexpr std::uint8_t kTrue = 0xb2;
inline constexpr std::uint8_t kDouble = 0xb3;       // 8 bytes, little-endian
inline constexpr std::uint8_t kString8 = 0xb4;      // length - 32 in one byte
inline constexpr std::uint8_t kString16 = 0xb5;     // length in two bytes
inline constexpr std::uint8_t kString32 = 0xb6;     // length in four bytes
inline constexpr std::uint8_t kStringUse8 = 0xb7;   // number - 16 in one byte
inline constexpr std::uint8_t kStringUse16 = 0xb8;  // number in two bytes
inline constexpr std::uint8_t kStringUse32 = 0xb9;  // number in four bytes
inline constexpr std::uint8_t kList = 0xba;         // varint count
inline constexpr std::uint8_t kMap = 0xbb;          // varint count
inline constexpr std::uint8_t kShapeUse = 0xbc;     // varint number
inline constexpr std::uint8_t kKeyUse = 0xbd;       // varint number - 16
inline constexpr std::uint8_t kReference = 0xbe;
inline constexpr std::uint8_t kReferenceUse = 0xbf;    // varint number
inline constexpr std::uint8_t kShortList = 0xc0;       // + count 0 … 15
inline constexpr std::uint8_t kShortShapeUse = 0xd0;   // + number 0 … 15
inline constexpr std::uint8_t kShortStringUse = 0xe0;  // + number 0 … 15
inline constexpr std::uint8_t kShortKeyUse = 0xf0;     // + number 0 … 15

// Strings shorter than this have no number: naming them would not be shorter.
inline constexpr std::uint32_t kShortestShared = 2;

}  // namespace coppice::php::tag
