--TEST--
What reflection says: classes, exceptions, defaults
--FILE--
<?php
require __DIR__ . '/setup.inc';
$parents = fn (string $class) => array_values(class_parents("Coppice\\$class"));
same(['InvalidArgumentException', 'LogicException', 'Exception'], $parents('InvalidArgumentException'), 'InvalidArgumentException');
same('Coppice\InvalidArgumentException', $parents('InvalidKeyException')[0], 'InvalidKeyException');
same('OverflowException', $parents('OverflowException')[0], 'OverflowException');
foreach (['WrongType', 'Serialization', 'Connection', 'Refused'] as $class) {
    same('RuntimeException', $parents($class . 'Exception')[0], $class);
}
foreach (['InvalidArgument', 'InvalidKey', 'Overflow', 'WrongType', 'Serialization', 'Connection', 'Refused'] as $class) {
    same(true, is_subclass_of("Coppice\\{$class}Exception", Coppice\CacheException::class), $class);
}
same(true, interface_exists(Coppice\CacheException::class), 'the marker is an interface');
$methods = array_map(fn ($m) => $m->getName(), (new ReflectionClass(Coppice\Cache::class))->getMethods(ReflectionMethod::IS_PUBLIC));
same(['open', 'get', 'set', 'delete', 'clear', 'getMultiple', 'setMultiple', 'deleteMultiple', 'has', 'deletePrefix', 'countPrefix', 'keys', 'scan',
    'invalidateTags', 'add', 'replace', 'cas', 'increment', 'decrement', 'pull', 'touch', 'remember', 'lock', 'flushLocks', 'throttle', 'find', 'stats', 'prune', 'prefix', 'isShared'], $methods, 'methods');
same('$ttl = null', substr((string) (new ReflectionParameter([Coppice\Cache::class, 'set'], 'ttl')), -13, 11), 'defaults');
$c = cache();
$c->set('named', ttl: 100, value: 1);
same(true, $c->find(key: 'named')->ttl > 90, 'named arguments');
same([['named']], [$c->keys(limit: 1)], 'named arguments');
echo 'done';
?>
--EXPECT--
done
