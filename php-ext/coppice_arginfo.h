/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 1cde9d36539a12c3db52257c04f2bfa360c4f15c */

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Coppice_Cache_open, 0, 0, Coppice\\Cache, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, dsn, IS_STRING, 0, "\"auto:\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, options, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_Coppice_Cache___construct, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_get, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_set, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG|MAY_BE_DOUBLE, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, tags, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_delete, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_clear, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_TYPE_MASK_EX(arginfo_class_Coppice_Cache_getMultiple, 0, 1, Traversable, MAY_BE_ARRAY)
	ZEND_ARG_OBJ_TYPE_MASK(0, keys, Traversable, MAY_BE_ARRAY, NULL)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, default, IS_MIXED, 0, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_setMultiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, values, Traversable, MAY_BE_ARRAY, NULL)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG|MAY_BE_DOUBLE, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, tags, IS_ARRAY, 0, "[]")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_deleteMultiple, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, keys, Traversable, MAY_BE_ARRAY, NULL)
ZEND_END_ARG_INFO()

#define arginfo_class_Coppice_Cache_has arginfo_class_Coppice_Cache_delete

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_deletePrefix, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, prefix, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_countPrefix, 0, 0, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\"\"")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_keys, 0, 0, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, after, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Coppice_Cache_scan, 0, 0, Traversable, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 0, "\"\"")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, after, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, limit, IS_LONG, 0, "0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_invalidateTags, 0, 0, IS_LONG, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, tags, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Coppice_Cache_add arginfo_class_Coppice_Cache_set

#define arginfo_class_Coppice_Cache_replace arginfo_class_Coppice_Cache_set

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_cas, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, version, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, value, IS_MIXED, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG|MAY_BE_DOUBLE, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_increment, 0, 1, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, by, IS_LONG, 0, "1")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, initial, IS_LONG, 0, "0")
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG|MAY_BE_DOUBLE, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Coppice_Cache_decrement arginfo_class_Coppice_Cache_increment

#define arginfo_class_Coppice_Cache_pull arginfo_class_Coppice_Cache_get

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_touch, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_remember, 0, 3, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
	ZEND_ARG_TYPE_INFO(0, compute, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, beta, IS_DOUBLE, 0, "1.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, stale, IS_DOUBLE, 0, "0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "5")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Coppice_Cache_lock, 0, 1, Coppice\\Lock, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, lease, IS_DOUBLE, 0, "INF")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, owner, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Coppice_Cache_flushLocks arginfo_class_Coppice_Cache_clear

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Coppice_Cache_throttle, 0, 3, Coppice\\Throttle, 0)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, limit, IS_LONG, 0)
	ZEND_ARG_TYPE_INFO(0, per, IS_DOUBLE, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, cost, IS_LONG, 0, "1")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Coppice_Cache_find, 0, 1, Coppice\\Entry, 1)
	ZEND_ARG_TYPE_INFO(0, key, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_stats, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Cache_prune, 0, 0, IS_LONG, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Coppice_Cache_prefix, 0, 1, Coppice\\Cache, 0)
	ZEND_ARG_TYPE_INFO(0, prefix, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Coppice_Cache_isShared arginfo_class_Coppice_Cache_clear

#define arginfo_class_Coppice_Entry___construct arginfo_class_Coppice_Cache___construct

#define arginfo_class_Coppice_Pending___construct arginfo_class_Coppice_Cache___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Pending_ttl, 0, 1, IS_VOID, 0)
	ZEND_ARG_OBJ_TYPE_MASK(0, ttl, DateInterval, MAY_BE_NULL|MAY_BE_LONG|MAY_BE_DOUBLE, NULL)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Pending_tags, 0, 0, IS_VOID, 0)
	ZEND_ARG_VARIADIC_TYPE_INFO(0, tags, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Pending_skip, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Coppice_Throttle___construct arginfo_class_Coppice_Cache___construct

#define arginfo_class_Coppice_Lock___construct arginfo_class_Coppice_Cache___construct

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Lock_acquire, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0")
ZEND_END_ARG_INFO()

#define arginfo_class_Coppice_Lock_release arginfo_class_Coppice_Cache_clear

#define arginfo_class_Coppice_Lock_forceRelease arginfo_class_Coppice_Cache_clear

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Lock_refresh, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, lease, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

#define arginfo_class_Coppice_Lock_isHeld arginfo_class_Coppice_Cache_clear

#define arginfo_class_Coppice_Lock_isLocked arginfo_class_Coppice_Cache_clear

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_Coppice_Lock_owner, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Coppice_Lock_fence arginfo_class_Coppice_Cache_prune

#define arginfo_class_Coppice_Scan___construct arginfo_class_Coppice_Cache___construct

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_Coppice_Scan_getIterator, 0, 0, Iterator, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_Coppice_Pairs___construct arginfo_class_Coppice_Cache___construct

#define arginfo_class_Coppice_Pairs_getIterator arginfo_class_Coppice_Scan_getIterator

#define arginfo_class_Coppice_Pairs_count arginfo_class_Coppice_Cache_prune


ZEND_METHOD(Coppice_Cache, open);
ZEND_METHOD(Coppice_Cache, __construct);
ZEND_METHOD(Coppice_Cache, get);
ZEND_METHOD(Coppice_Cache, set);
ZEND_METHOD(Coppice_Cache, delete);
ZEND_METHOD(Coppice_Cache, clear);
ZEND_METHOD(Coppice_Cache, getMultiple);
ZEND_METHOD(Coppice_Cache, setMultiple);
ZEND_METHOD(Coppice_Cache, deleteMultiple);
ZEND_METHOD(Coppice_Cache, has);
ZEND_METHOD(Coppice_Cache, deletePrefix);
ZEND_METHOD(Coppice_Cache, countPrefix);
ZEND_METHOD(Coppice_Cache, keys);
ZEND_METHOD(Coppice_Cache, scan);
ZEND_METHOD(Coppice_Cache, invalidateTags);
ZEND_METHOD(Coppice_Cache, add);
ZEND_METHOD(Coppice_Cache, replace);
ZEND_METHOD(Coppice_Cache, cas);
ZEND_METHOD(Coppice_Cache, increment);
ZEND_METHOD(Coppice_Cache, decrement);
ZEND_METHOD(Coppice_Cache, pull);
ZEND_METHOD(Coppice_Cache, touch);
ZEND_METHOD(Coppice_Cache, remember);
ZEND_METHOD(Coppice_Cache, lock);
ZEND_METHOD(Coppice_Cache, flushLocks);
ZEND_METHOD(Coppice_Cache, throttle);
ZEND_METHOD(Coppice_Cache, find);
ZEND_METHOD(Coppice_Cache, stats);
ZEND_METHOD(Coppice_Cache, prune);
ZEND_METHOD(Coppice_Cache, prefix);
ZEND_METHOD(Coppice_Cache, isShared);
ZEND_METHOD(Coppice_Entry, __construct);
ZEND_METHOD(Coppice_Pending, __construct);
ZEND_METHOD(Coppice_Pending, ttl);
ZEND_METHOD(Coppice_Pending, tags);
ZEND_METHOD(Coppice_Pending, skip);
ZEND_METHOD(Coppice_Throttle, __construct);
ZEND_METHOD(Coppice_Lock, __construct);
ZEND_METHOD(Coppice_Lock, acquire);
ZEND_METHOD(Coppice_Lock, release);
ZEND_METHOD(Coppice_Lock, forceRelease);
ZEND_METHOD(Coppice_Lock, refresh);
ZEND_METHOD(Coppice_Lock, isHeld);
ZEND_METHOD(Coppice_Lock, isLocked);
ZEND_METHOD(Coppice_Lock, owner);
ZEND_METHOD(Coppice_Lock, fence);
ZEND_METHOD(Coppice_Scan, __construct);
ZEND_METHOD(Coppice_Scan, getIterator);
ZEND_METHOD(Coppice_Pairs, __construct);
ZEND_METHOD(Coppice_Pairs, getIterator);
ZEND_METHOD(Coppice_Pairs, count);


static const zend_function_entry class_Coppice_CacheException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_InvalidArgumentException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_InvalidKeyException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_OverflowException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_WrongTypeException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_SerializationException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_ConnectionException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_RefusedException_methods[] = {
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_Cache_methods[] = {
	ZEND_ME(Coppice_Cache, open, arginfo_class_Coppice_Cache_open, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(Coppice_Cache, __construct, arginfo_class_Coppice_Cache___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Coppice_Cache, get, arginfo_class_Coppice_Cache_get, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, set, arginfo_class_Coppice_Cache_set, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, delete, arginfo_class_Coppice_Cache_delete, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, clear, arginfo_class_Coppice_Cache_clear, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, getMultiple, arginfo_class_Coppice_Cache_getMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, setMultiple, arginfo_class_Coppice_Cache_setMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, deleteMultiple, arginfo_class_Coppice_Cache_deleteMultiple, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, has, arginfo_class_Coppice_Cache_has, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, deletePrefix, arginfo_class_Coppice_Cache_deletePrefix, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, countPrefix, arginfo_class_Coppice_Cache_countPrefix, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, keys, arginfo_class_Coppice_Cache_keys, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, scan, arginfo_class_Coppice_Cache_scan, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, invalidateTags, arginfo_class_Coppice_Cache_invalidateTags, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, add, arginfo_class_Coppice_Cache_add, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, replace, arginfo_class_Coppice_Cache_replace, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, cas, arginfo_class_Coppice_Cache_cas, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, increment, arginfo_class_Coppice_Cache_increment, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, decrement, arginfo_class_Coppice_Cache_decrement, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, pull, arginfo_class_Coppice_Cache_pull, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, touch, arginfo_class_Coppice_Cache_touch, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, remember, arginfo_class_Coppice_Cache_remember, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, lock, arginfo_class_Coppice_Cache_lock, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, flushLocks, arginfo_class_Coppice_Cache_flushLocks, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, throttle, arginfo_class_Coppice_Cache_throttle, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, find, arginfo_class_Coppice_Cache_find, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, stats, arginfo_class_Coppice_Cache_stats, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, prune, arginfo_class_Coppice_Cache_prune, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, prefix, arginfo_class_Coppice_Cache_prefix, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Cache, isShared, arginfo_class_Coppice_Cache_isShared, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_Entry_methods[] = {
	ZEND_ME(Coppice_Entry, __construct, arginfo_class_Coppice_Entry___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_Pending_methods[] = {
	ZEND_ME(Coppice_Pending, __construct, arginfo_class_Coppice_Pending___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Coppice_Pending, ttl, arginfo_class_Coppice_Pending_ttl, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Pending, tags, arginfo_class_Coppice_Pending_tags, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Pending, skip, arginfo_class_Coppice_Pending_skip, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_Throttle_methods[] = {
	ZEND_ME(Coppice_Throttle, __construct, arginfo_class_Coppice_Throttle___construct, ZEND_ACC_PRIVATE)
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_Lock_methods[] = {
	ZEND_ME(Coppice_Lock, __construct, arginfo_class_Coppice_Lock___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Coppice_Lock, acquire, arginfo_class_Coppice_Lock_acquire, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Lock, release, arginfo_class_Coppice_Lock_release, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Lock, forceRelease, arginfo_class_Coppice_Lock_forceRelease, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Lock, refresh, arginfo_class_Coppice_Lock_refresh, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Lock, isHeld, arginfo_class_Coppice_Lock_isHeld, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Lock, isLocked, arginfo_class_Coppice_Lock_isLocked, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Lock, owner, arginfo_class_Coppice_Lock_owner, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Lock, fence, arginfo_class_Coppice_Lock_fence, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_Scan_methods[] = {
	ZEND_ME(Coppice_Scan, __construct, arginfo_class_Coppice_Scan___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Coppice_Scan, getIterator, arginfo_class_Coppice_Scan_getIterator, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};


static const zend_function_entry class_Coppice_Pairs_methods[] = {
	ZEND_ME(Coppice_Pairs, __construct, arginfo_class_Coppice_Pairs___construct, ZEND_ACC_PRIVATE)
	ZEND_ME(Coppice_Pairs, getIterator, arginfo_class_Coppice_Pairs_getIterator, ZEND_ACC_PUBLIC)
	ZEND_ME(Coppice_Pairs, count, arginfo_class_Coppice_Pairs_count, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_Coppice_CacheException(zend_class_entry *class_entry_Throwable)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "CacheException", class_Coppice_CacheException_methods);
	class_entry = zend_register_internal_interface(&ce);
	zend_class_implements(class_entry, 1, class_entry_Throwable);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_InvalidArgumentException(zend_class_entry *class_entry_InvalidArgumentException, zend_class_entry *class_entry_Coppice_CacheException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "InvalidArgumentException", class_Coppice_InvalidArgumentException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_InvalidArgumentException);
	zend_class_implements(class_entry, 1, class_entry_Coppice_CacheException);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_InvalidKeyException(zend_class_entry *class_entry_Coppice_InvalidArgumentException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "InvalidKeyException", class_Coppice_InvalidKeyException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Coppice_InvalidArgumentException);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_OverflowException(zend_class_entry *class_entry_OverflowException, zend_class_entry *class_entry_Coppice_CacheException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "OverflowException", class_Coppice_OverflowException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_OverflowException);
	zend_class_implements(class_entry, 1, class_entry_Coppice_CacheException);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_WrongTypeException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_Coppice_CacheException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "WrongTypeException", class_Coppice_WrongTypeException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_Coppice_CacheException);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_SerializationException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_Coppice_CacheException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "SerializationException", class_Coppice_SerializationException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_Coppice_CacheException);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_ConnectionException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_Coppice_CacheException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "ConnectionException", class_Coppice_ConnectionException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_Coppice_CacheException);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_RefusedException(zend_class_entry *class_entry_RuntimeException, zend_class_entry *class_entry_Coppice_CacheException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "RefusedException", class_Coppice_RefusedException_methods);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RuntimeException);
	zend_class_implements(class_entry, 1, class_entry_Coppice_CacheException);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_Cache(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "Cache", class_Coppice_Cache_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Coppice_Entry(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "Entry", class_Coppice_Entry_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_value_default_value;
	ZVAL_UNDEF(&property_value_default_value);
	zend_string *property_value_name = zend_string_init("value", sizeof("value") - 1, 1);
	zend_declare_typed_property(class_entry, property_value_name, &property_value_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_value_name);

	zval property_ttl_default_value;
	ZVAL_UNDEF(&property_ttl_default_value);
	zend_string *property_ttl_name = zend_string_init("ttl", sizeof("ttl") - 1, 1);
	zend_declare_typed_property(class_entry, property_ttl_name, &property_ttl_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE|MAY_BE_NULL));
	zend_string_release(property_ttl_name);

	zval property_version_default_value;
	ZVAL_UNDEF(&property_version_default_value);
	zend_string *property_version_name = zend_string_init("version", sizeof("version") - 1, 1);
	zend_declare_typed_property(class_entry, property_version_name, &property_version_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_version_name);

	zval property_tags_default_value;
	ZVAL_UNDEF(&property_tags_default_value);
	zend_string *property_tags_name = zend_string_init("tags", sizeof("tags") - 1, 1);
	zend_declare_typed_property(class_entry, property_tags_name, &property_tags_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_tags_name);

	zval property_bytes_default_value;
	ZVAL_UNDEF(&property_bytes_default_value);
	zend_string *property_bytes_name = zend_string_init("bytes", sizeof("bytes") - 1, 1);
	zend_declare_typed_property(class_entry, property_bytes_name, &property_bytes_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_bytes_name);

	zval property_encoding_default_value;
	ZVAL_UNDEF(&property_encoding_default_value);
	zend_string *property_encoding_name = zend_string_init("encoding", sizeof("encoding") - 1, 1);
	zend_declare_typed_property(class_entry, property_encoding_name, &property_encoding_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_encoding_name);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_Pending(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "Pending", class_Coppice_Pending_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Coppice_Throttle(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "Throttle", class_Coppice_Throttle_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	zval property_allowed_default_value;
	ZVAL_UNDEF(&property_allowed_default_value);
	zend_string *property_allowed_name = zend_string_init("allowed", sizeof("allowed") - 1, 1);
	zend_declare_typed_property(class_entry, property_allowed_name, &property_allowed_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_BOOL));
	zend_string_release(property_allowed_name);

	zval property_remaining_default_value;
	ZVAL_UNDEF(&property_remaining_default_value);
	zend_string *property_remaining_name = zend_string_init("remaining", sizeof("remaining") - 1, 1);
	zend_declare_typed_property(class_entry, property_remaining_name, &property_remaining_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_LONG));
	zend_string_release(property_remaining_name);

	zval property_retryAfter_default_value;
	ZVAL_UNDEF(&property_retryAfter_default_value);
	zend_string *property_retryAfter_name = zend_string_init("retryAfter", sizeof("retryAfter") - 1, 1);
	zend_declare_typed_property(class_entry, property_retryAfter_name, &property_retryAfter_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_retryAfter_name);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_Lock(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "Lock", class_Coppice_Lock_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;

	return class_entry;
}

static zend_class_entry *register_class_Coppice_Scan(zend_class_entry *class_entry_IteratorAggregate)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "Scan", class_Coppice_Scan_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_IteratorAggregate);

	return class_entry;
}

static zend_class_entry *register_class_Coppice_Pairs(zend_class_entry *class_entry_IteratorAggregate, zend_class_entry *class_entry_Countable)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "Coppice", "Pairs", class_Coppice_Pairs_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 2, class_entry_IteratorAggregate, class_entry_Countable);

	return class_entry;
}
