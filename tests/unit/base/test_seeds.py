import hashlib

from scipy.stats import kstest

from contrapose.base.seeds import derived_seed, uniforms


def test_a_seed_depends_on_its_parts_and_their_order_alone():
    # The first 8 bytes of the SHA-256 of ["corpus",1,0], by the command line tool.
    assert derived_seed("corpus", 1, 0) == 1295292590940557497
    assert derived_seed("corpus", 0, 1) != derived_seed("corpus", 1, 0)
    assert derived_seed("a", "b") != derived_seed("ab")


def test_uniform_numbers_are_those_of_their_key_alone():
    found = uniforms([("x", 1), ("x", 2)], 3)
    stream = hashlib.shake_128(b'["x",2]').digest(8)
    assert found[1, 0] == int.from_bytes(stream, "little") // 2**11 / 2**53
    assert uniforms([("x", 2)], 2)[0].tolist() == found[1, :2].tolist()
    many = uniforms([(number,) for number in range(2000)], 5)
    assert many.min() >= 0
    assert many.max() < 1
    assert all(kstest(column, "uniform").pvalue > 0.001 for column in many.T)
    assert uniforms([], 3).shape == (0, 3)
