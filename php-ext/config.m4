dnl Builds coppice.so from the archive that scripts/package-ext makes, which holds the engine in core/.
dnl In the repository the extension is built by CMake.

PHP_ARG_ENABLE([coppice],
  [whether to enable Coppice],
  [AS_HELP_STRING([--enable-coppice], [Enable Coppice, a cache with ordered keys])],
  [yes])

PHP_ARG_WITH([coppice-judy],
  [where libJudy.a is],
  [AS_HELP_STRING([--with-coppice-judy=FILE], [libJudy.a (default: where the compiler finds it)])],
  [no], [no])

if test "$PHP_COPPICE" != "no"; then
  PHP_REQUIRE_CXX()

  coppice_core=
  for source in $abs_srcdir/core/src/*.cpp; do
    coppice_core="$coppice_core core/src/`basename $source`"
  done
  if test ! -f "$abs_srcdir/core/src/store.cpp"; then
    AC_MSG_ERROR([the engine is not here: make a source archive by scripts/package-ext, or build with CMake])
  fi
  coppice_sources=
  for source in $abs_srcdir/src/*.cpp; do
    coppice_sources="$coppice_sources src/`basename $source`"
  done

  AC_MSG_CHECKING([for libJudy.a])
  if test "$PHP_COPPICE_JUDY" = "no" || test "$PHP_COPPICE_JUDY" = "yes"; then
    PHP_COPPICE_JUDY=`$CXX -print-file-name=libJudy.a`
  fi
  if test ! -f "$PHP_COPPICE_JUDY"; then
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([libJudy.a is missing: install libjudy-dev, or say --with-coppice-judy=FILE])
  fi
  AC_MSG_RESULT([$PHP_COPPICE_JUDY])

  AC_LANG_PUSH([C++])
  coppice_cxxflags="$CXXFLAGS"
  CXXFLAGS="$CXXFLAGS -std=c++20"
  AC_CHECK_HEADER([xxhash.h], [], [AC_MSG_ERROR([xxhash.h is missing: install libxxhash-dev])])
  AC_CHECK_HEADER([span], [], [AC_MSG_ERROR([the compiler has no C++20])])
  CXXFLAGS="$coppice_cxxflags"
  AC_LANG_POP([C++])

  dnl The libraries' symbols stay local: a second libJudy in the process never meets this one.
  COPPICE_SHARED_LIBADD="$COPPICE_SHARED_LIBADD $PHP_COPPICE_JUDY -Wl,--exclude-libs,ALL -Wl,--version-script=$abs_srcdir/coppice.map -Wl,-z,now"
  PHP_ADD_LIBRARY(stdc++, 1, COPPICE_SHARED_LIBADD)
  PHP_SUBST(COPPICE_SHARED_LIBADD)

  PHP_NEW_EXTENSION(coppice, $coppice_sources $coppice_core, $ext_shared,,
    [-std=c++20 -fvisibility=hidden -fvisibility-inlines-hidden -fno-strict-aliasing -DNDEBUG -DZEND_COMPILE_DL_EXT=1 -I@ext_srcdir@/src -I@ext_srcdir@/core/include -I@ext_srcdir@/core/src], yes)
  PHP_ADD_BUILD_DIR($ext_builddir/src)
  PHP_ADD_BUILD_DIR($ext_builddir/core/src)
fi
